import { expect, test } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import type { ToolImport } from '../tool.ts';
import { importAccount, type PartReport } from './accountImport.ts';
import type { ExportArchive } from './exportArchive.ts';

const archive: ExportArchive = {
  tools: ['third', 'unknown', 'second', 'first'],
  getSource: () => ({ iterate: async function* () {}, findFile: () => undefined }),
  [Symbol.asyncDispose]: async () => undefined,
};
/** Creates a part that is empty until it was imported. */
function createPart(tool: string, run: ToolImport['run']): ToolImport {
  let isEmpty = true;
  return {
    tool,
    isEmpty: async () => isEmpty,
    run: async (...request) => {
      const result = await run(...request);
      isEmpty = false;
      return result;
    },
  };
}
const imported = async () => ({ counts: { things: 1 }, problems: [] });

test('a part that fails stops no other one, and can be imported again', async () => {
  const faults: unknown[] = [];
  const log = { info: () => undefined, error: (fault: unknown) => void faults.push(fault) };
  let failure: Error | undefined = new Refusal('test.full', 'There is no space');
  const imports = [
    createPart('first', imported),
    createPart('second', async () => {
      if (failure) throw failure;
      return imported();
    }),
    createPart('third', imported),
  ];
  const run = async () => {
    const parts = await importAccount({ imports, log }, { account: 1, archive });
    return parts.map(({ tool, status, problems }) => `${tool} ${status} ${problems.join('')}`.trim());
  };
  expect(await run()).toEqual([
    'first imported',
    'second failed There is no space',
    'third imported',
    'unknown unsupported',
  ]);
  failure = new Error('a fault');
  expect((await run())[1]).toContain('second failed Something went wrong on the server');
  expect(faults).toHaveLength(1);
  failure = undefined;
  expect(await run()).toEqual(['first skipped', 'second imported', 'third skipped', 'unknown unsupported']);
});

test('an interrupted import continues with the parts that are left, and reports all', async () => {
  const log = { info: () => undefined, error: () => undefined };
  const controller = new AbortController();
  const imports = ['first', 'second', 'third'].map((tool) => createPart(tool, imported));
  let earlier: readonly PartReport[] = [];
  const interrupted = importAccount(
    { imports, log },
    {
      account: 1,
      archive,
      signal: controller.signal,
      onReport: async (reports) => {
        earlier = [...reports];
        if (reports.length === 2) controller.abort(new Error('the server stops'));
      },
    },
  );
  await expect(interrupted).rejects.toThrow('the server stops');
  const parts = await importAccount({ imports, log }, { account: 1, archive, earlier });
  expect(parts.map(({ status }) => status)).toEqual(['imported', 'imported', 'imported', 'unsupported']);
});
