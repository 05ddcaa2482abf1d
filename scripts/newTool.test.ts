import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTool } from './newTool.ts';

const executeFile = promisify(execFile);
const root = join(import.meta.dirname, '..');
const SOURCES = ['apps', 'platform', 'testing', 'tools', 'package.json', 'run.cjs', 'tsconfig.json', '.oxfmtrc.json'];
const CONFIGURATION = ['vitest.config.ts', '.oxlintrc.json'];

let copy = '';
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'new-tool-'));
  for (const path of [...SOURCES, ...CONFIGURATION])
    await cp(join(root, path), join(copy, path), { recursive: true, filter: (source) => !source.endsWith('/dist') });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  createTool(copy, 'habits');
});
afterAll(async () => {
  await rm(copy, { recursive: true });
});

/** Runs a program of the repository in the copy. @throws with its output if it fails. */
async function runProgram(...args: readonly string[]): Promise<void> {
  await executeFile(process.execPath, ['run.cjs', ...args], { cwd: copy }).catch((error: unknown) => {
    throw new Error(String((error as { readonly stdout?: string }).stdout), { cause: error });
  });
}
const readCopy = (path: string): Promise<string> => readFile(join(copy, path), 'utf8');

test('a new tool has the parts of the example under its own name, and is added to the apps', async () => {
  expect(await readCopy('tools/habits/web/HabitsPage.tsx')).toContain('export default function HabitsPage()');
  expect(await readCopy('tools/habits/server/migrations.ts')).toContain("createTable('habits_note')");
  expect(await readCopy('tools/habits/server/habits.test.ts')).not.toMatch(/example/i);
  expect(await readCopy('tools/habits/web/habits.e2e.ts')).toContain('startTestSite()');
  expect(await readCopy('apps/server/tools.ts')).toMatch(/'#tools\/habits\/server\/index.ts'[^]*\n {2}habits,\n\];/);
  expect(await readCopy('apps/server/pages.ts')).toMatch(/'#tools\/habits\/page.ts'[^]*\n {2}habits,\n\];/);
  expect(await readCopy('apps/web/tools.ts')).toMatch(/'#tools\/habits\/web\/index.ts'[^]*\n {2}habits,\n\];/);
});

test('a new tool passes the type check, lint, the format check and its own unit tests', async () => {
  // Only the tool and what it imports: all tools would take a minute.
  const config = {
    extends: './tsconfig.json',
    include: ['tools/habits'],
    exclude: ['**/*.e2e.ts', '**/server/*.test.ts'],
  };
  await writeFile(join(copy, 'tsconfig.habits.json'), JSON.stringify(config));
  await runProgram('tsc', '-p', 'tsconfig.habits.json');
  await runProgram('oxlint', 'tools/habits');
  await runProgram('oxfmt', '--check', 'tools/habits', 'apps/server', 'apps/web/tools.ts');
  await runProgram('vitest', 'run', 'tools/habits/domain');
});

test('a name that is taken or no identifier is refused', () => {
  expect(() => createTool(copy, 'paste')).toThrow('tools/paste already exists');
  expect(() => createTool(copy, 'my-tool')).toThrow("'my-tool' can't be the name of a tool");
  expect(() => createTool(copy, '')).toThrow("'' can't be the name of a tool");
});
