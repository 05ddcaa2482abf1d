import { spawn } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import type { ReportedInterval } from '../usage/domain/interval.ts';
import { openSpool, type Spool, type SpoolOptions } from './usageSpool.ts';

function openInScratch(
  folder: string,
  options: Partial<SpoolOptions> = {},
): { readonly spool: Spool; readonly printed: readonly string[] } {
  const printed: string[] = [];
  return { spool: openSpool({ folder, print: (line) => void printed.push(line), ...options }), printed };
}
const createEntry = (from: number, until: number, app = 'Editor'): ReportedInterval => ({
  app,
  status: 'on',
  from,
  until,
});
const desk = 'desktop';

test('intervals are queued in order with ascending numbers until the server has them', () => {
  const folder = createTempFolderSync();
  const { spool } = openInScratch(folder);
  expect(spool.getNextBatch(10)).toBeUndefined();
  spool.write(desk, [createEntry(0, 10), { ...createEntry(10, 20, `"Quoted" 👋 'total'`), title: 'Ä' }], []);
  spool.write(desk, [createEntry(20, 30)], []);
  const batch = spool.getNextBatch(2);
  expect(batch).toMatchObject({ seq: 1, dropped: false, boot: expect.stringMatching(/^[\w-]{8,64}$/) });
  expect(batch?.intervals).toEqual([createEntry(0, 10), { ...createEntry(10, 20, `"Quoted" 👋 'total'`), title: 'Ä' }]);
  spool.removeUpTo(batch?.run ?? 0, 2);
  expect(spool.getNextBatch(10)).toMatchObject({
    seq: 3,
    dropped: false,
    boot: batch?.boot,
    intervals: [createEntry(20, 30)],
  });
  expect(spool.countReports()).toEqual({ waiting: 1, lost: 0 });
  expect(statSync(join(folder, 'usage.db')).mode & 0o777).toBe(0o600);
  spool.close();
});

test('a killed run ends with its last sign of life, and is sent before the next run', () => {
  const folder = createTempFolderSync();
  const first = openInScratch(folder).spool;
  first.saveOffset(7);
  first.write(
    desk,
    [createEntry(0, 10)],
    [createEntry(10, 14), createEntry(14, 15, 'Mail'), createEntry(15, 15, 'Chat')],
  );
  first.write('door', [], [createEntry(11, 13, 'Page')]);
  first.close();
  const { spool } = openInScratch(folder, { lastSignOfLife: { source: desk, until: 19 } });
  spool.write(desk, [createEntry(30, 40)], []);
  const old = spool.getNextBatch(10);
  expect(old).toMatchObject({ seq: 1, offset: 7 });
  expect(old?.intervals).toEqual([
    createEntry(0, 10),
    createEntry(10, 14),
    createEntry(14, 19, 'Mail'),
    createEntry(15, 19, 'Chat'),
    createEntry(11, 13, 'Page'),
  ]);
  spool.removeUpTo(old?.run ?? 0, 5);
  const fresh = spool.getNextBatch(10);
  expect(fresh).toMatchObject({ seq: 1, intervals: [createEntry(30, 40)], offset: undefined });
  expect(fresh?.boot).not.toBe(old?.boot);
  spool.close();
});

test('on a full disk the oldest intervals stay, it is reported once, and lost ones are counted and numbered', () => {
  const { spool, printed } = openInScratch(createTempFolderSync(), { maxBytes: 200 * 1024 });
  const name = 'x'.repeat(400);
  const write = (index: number): void => spool.write(desk, [createEntry(index, index + 1, name)], []);
  let written = 0;
  while (printed.length === 0) write((written += 1));
  expect(printed).toEqual([expect.stringMatching(/^Cannot store the usage of this computer: .*full/)]);
  const EXTRA_COUNT = 2100;
  for (let index = 1; index <= EXTRA_COUNT; index += 1) write(written + index);
  expect(printed).toHaveLength(1);
  expect(spool.countReports()).toEqual({ waiting: written + 1999, lost: EXTRA_COUNT - 1999 });

  // The server accepts the queue, which frees space.
  const sentIntervals: ReportedInterval[] = [];
  let isDropped = false;
  for (let batch = spool.getNextBatch(1000); batch; batch = spool.getNextBatch(1000)) {
    sentIntervals.push(...batch.intervals);
    isDropped ||= batch.dropped;
    spool.removeUpTo(batch.run, batch.seq + batch.intervals.length - 1);
    spool.write(desk, [], []);
  }
  expect(sentIntervals.length).toBe(written + 1999);
  expect(sentIntervals.map(({ from }) => from)).toEqual(sentIntervals.map((_, place) => place + 1));
  expect(isDropped).toBe(false);
  expect(printed.at(-1)).toContain(`Records lost: ${EXTRA_COUNT - 1999}`);
  write(1);
  expect(spool.getNextBatch(1)).toMatchObject({ seq: written + EXTRA_COUNT + 1, dropped: true });
  spool.close();
});

test('a corrupt file is moved aside, and new intervals are stored', () => {
  const folder = createTempFolderSync();
  writeFileSync(join(folder, 'usage.db'), 'this is none'.repeat(1000));
  const { spool, printed } = openInScratch(folder);
  expect(printed).toEqual([expect.stringContaining('It was renamed')]);
  spool.write(desk, [createEntry(0, 1)], []);
  expect(spool.getNextBatch(1)?.intervals).toEqual([createEntry(0, 1)]);
  spool.close();
});

test('after a kill at any moment, everything that was written is there', async () => {
  const folder = createTempFolderSync();
  const script = `
    import { openSpool } from ${JSON.stringify(join(import.meta.dirname, 'usageSpool.ts'))};
    const spool = openSpool({ folder: ${JSON.stringify(folder)}, print: () => undefined });
    for (let at = 1; at <= 4000; at += 1) {
      spool.write('desktop', [{ app: 'Editor', status: 'on', from: at, until: at + 1 }], [{ app: 'Mail', status: 'off', from: 0, until: at + 1 }]);
      await new Promise((done) => process.stdout.write(at + '\\n', done)); // a full pipe would hold lines back
    }
    setInterval(() => undefined, 60_000);`;
  const RUNS = 3;
  const reported: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    const exited = new Promise((done) => child.once('close', done));
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.split('\n').length > 20 + 13 * run) child.kill('SIGKILL');
    });
    await exited;
    reported.push(Number(printed.split('\n').at(-2)));
  }
  const { spool } = openInScratch(folder);
  for (const last of reported) {
    const batch = spool.getNextBatch(100_000);
    const intervals = batch?.intervals ?? [];
    const written = intervals.filter(({ status }) => status === 'on').map(({ from }) => from);
    expect(written).toEqual(written.map((_, place) => place + 1));
    expect(written.length).toBeGreaterThanOrEqual(last);
    expect(written.length).toBeLessThanOrEqual(last + 1);
    expect(intervals.at(-1)).toEqual({ app: 'Mail', status: 'off', from: 0, until: written.length + 1 });
    spool.removeUpTo(batch?.run ?? 0, batch?.intervals.length ?? 0);
  }
  expect(spool.getNextBatch(1)).toBeUndefined();
  spool.close();
});
