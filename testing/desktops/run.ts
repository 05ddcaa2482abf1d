// `npm run test:desktops [-- --all] [file …]`: the tests of desktops that are too large for `npm test`.
import { spawnSync } from 'node:child_process';
import { appendFileSync, globSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import { prepareMachine } from '../machine.ts';
import { hashAgentSources, readLastRun, writeLastRun } from './lastRun.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    /** Also desktops that need a folder with another system: see docs/development.md. */
    all: { type: 'boolean', default: false },
    /** Only if a file of the agent changed since the last run that passed (`lastRun.json`). */
    'if-changed': { type: 'boolean', default: false },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const sources = hashAgentSources();
const lastRun = readLastRun();
if (values['if-changed'] && lastRun?.sources === sources) {
  print(`The agent is the one whose desktops were tested on ${lastRun.date}`);
  process.exit();
}

await prepareMachine(print, { hasDesktops: true });
process.env['ALL_DESKTOPS'] = String(values.all);
// The self-check opens a page.
if (spawnSync(process.execPath, ['build.ts', '--if-stale'], { stdio: 'inherit' }).status !== 0) process.exit(1);
const files = globSync('{platform,tools,testing,apps}/**/*.desktop.ts').filter(
  (path) => positionals.length === 0 || positionals.some((part) => path.includes(part)),
);
const vitest = await startVitest(files, {
  config: 'testing/desktops/vitest.config.ts',
  watch: false,
  reporters: ['verbose'],
  // Each desktop takes a core.
  maxWorkers: 1,
  // Without `--all`, files of other systems have none.
  passWithNoTests: true,
});
const modules = vitest.state.getTestModules();
const tests = modules.flatMap((module) => [...module.children.allTests()]);
const testsByState = Map.groupBy(tests, (test) => test.result().state);
const count = (state: 'passed' | 'failed' | 'skipped'): number => testsByState.get(state)?.length ?? 0;
const brokenFiles = modules.filter((module) => module.errors().length > 0);
const outsideErrorCount = vitest.state.getUnhandledErrors().length;
await vitest.close();

const skippedCount = count('skipped');
for (const test of testsByState.get('skipped') ?? []) print(`skipped: ${test.fullName}`);
for (const test of testsByState.get('failed') ?? []) print(`failed: ${test.module.relativeModuleId}: ${test.fullName}`);
for (const { relativeModuleId } of brokenFiles) print(`failed to load: ${relativeModuleId}`);
const inCi = process.env['CI'] === 'true';
const failed = count('failed') + brokenFiles.length + outsideErrorCount + (inCi ? skippedCount : 0);
if (failed + skippedCount === 0 && positionals.length === 0) {
  const passedByFile = modules.map((module) => [module.relativeModuleId, [...module.children.allTests()].length]);
  writeLastRun({
    sources,
    date: Temporal.Now.plainDateISO().toString(),
    passed: Object.fromEntries(passedByFile.filter(([, passed]) => passed !== 0)),
  });
}
const sum = `${count('passed')} passed, ${failed} failed`;
const tally = process.env['TALLY'];
// `.ci/run` adds up several runs and prints the sum itself.
if (tally !== undefined) appendFileSync(tally, `${sum}\n`);
print(
  tally === undefined ? `${sum}${skippedCount > 0 && !inCi ? `, ${skippedCount} skipped` : ''}` : `So far: ${sum}.`,
);
process.exit(failed > 0 || count('passed') === 0 ? 1 : 0);
