// `npm test`: prepares the machine, builds, runs all tests, and prints a summary.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, globSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startVitest, type Reporter, type TestCase, type TestModule } from 'vitest/node';
import { findAffectedTests, isTest } from './affected.ts';
import { prepareMachine } from './machine.ts';
import { formatCosts } from './report.ts';
import { useMemoryForTemporaryFiles } from './temporary.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    testNamePattern: { type: 'string', short: 't' },
    /** Only tests that are affected by changes since the last commit, or since the one in `--since`. */
    changed: { type: 'boolean', default: false },
    since: { type: 'string' },
    /** `npm run test:pages`: only tests with the tag `matrix`, which `npm test` leaves out. */
    matrix: { type: 'boolean', default: false },
  },
});
const { testNamePattern } = values;
const MATRIX = 'matrix';
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Returns the paths that changed since a commit, including untracked files. */
const listChangedPaths = (commit: string): readonly string[] =>
  [
    ['diff', '--name-only', commit],
    ['ls-files', '--others', '--exclude-standard'],
  ].flatMap((words) => {
    const { status, stdout, stderr } = spawnSync('git', words, { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return stdout.split('\n').filter((line) => line !== '');
  });

function selectFiles(): readonly string[] {
  const isChanged = values.changed || values.since !== undefined;
  if (!isChanged && !values.matrix) return positionals;
  const paths = globSync('{apps,platform,tools,testing,scripts}/**/*.{ts,tsx}', { exclude: ['apps/*/dist/**'] });
  const sources = new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]));
  const tests = isChanged ? findAffectedTests(listChangedPaths(values.since ?? 'HEAD'), sources) : paths.filter(isTest);
  const files = tests.filter(
    (path) =>
      (!values.matrix || sources.get(path)?.includes(`tags: '${MATRIX}'`)) &&
      (positionals.length === 0 || positionals.some((part) => path.includes(part))),
  );
  if (files.length > 0) return files;
  print('No test is affected');
  process.exit();
}

const files = selectFiles();
useMemoryForTemporaryFiles(print);
// Run concurrently: installing packages waits for the network, building computes.
const prepared = prepareMachine(print);
const build = spawn(process.execPath, ['build.ts', '--if-stale'], { stdio: 'inherit' });
const [status] = await once(build, 'exit');
if (status !== 0) process.exit(status ?? 1);
await prepared;

/** Prints failures immediately, so that an aborted run has reported them. */
const failureReporter: Reporter = {
  onTestCaseResult: (test) => {
    const { state, errors = [] } = test.result();
    if (state !== 'failed') return;
    print(`FAILED ${test.module.relativeModuleId}: ${test.fullName}`);
    for (const { stack, message, diff, cause } of errors) {
      print(stack ?? message);
      if (diff !== undefined) print(diff);
      // The failure of a law has the actual error behind its counterexample.
      if (cause) print(`because of ${cause.stack ?? cause.message}`);
    }
  },
};
const vitest = await startVitest([...files], {
  watch: false,
  reporters: ['default', failureReporter],
  tagsFilter: [values.matrix ? MATRIX : `not ${MATRIX}`],
  ...(testNamePattern !== undefined && { testNamePattern }),
});
const modules = vitest.state.getTestModules();
const belongsToRun = ({ tags }: TestCase): boolean => tags.includes(MATRIX) === values.matrix;
const tests = modules.flatMap((module) => [...module.children.allTests()]).filter(belongsToRun);
const testsByState = Map.groupBy(tests, (test) => test.result().state);
const count = (state: 'passed' | 'failed' | 'skipped'): number => testsByState.get(state)?.length ?? 0;
// A file that did not load has no tests to fail, and an error outside of tests belongs to none.
const brokenFiles = modules.filter(
  (module) => module.state() === 'failed' && [...module.children.allTests('failed')].length === 0,
);
const outsideErrorCount = vitest.state.getUnhandledErrors().length;
await vitest.close();

function getWallSeconds(module: TestModule): number {
  const { prepareDuration, setupDuration, collectDuration, duration } = module.diagnostic();
  return (prepareDuration + setupDuration + collectDuration + duration) / 1000;
}
const runs = modules.map((module) => ({
  path: module.relativeModuleId,
  wallSeconds: getWallSeconds(module),
  cost: module.meta().cost,
}));
const testRuns = tests.map((test) => ({
  name: `${test.module.relativeModuleId}: ${test.fullName}`,
  wallSeconds: (test.diagnostic()?.duration ?? 0) / 1000,
}));
for (const line of formatCosts(runs, testRuns)) print(line);

const skipped = testsByState.get('skipped') ?? [];
for (const test of skipped) print(`skipped: ${test.module.relativeModuleId}: ${test.fullName}`);
const inCi = process.env['CI'] === 'true';
// Repeated at the end, as often only the end of a long log is visible.
for (const test of testsByState.get('failed') ?? []) print(`failed: ${test.module.relativeModuleId}: ${test.fullName}`);
for (const { relativeModuleId } of brokenFiles) print(`failed to load: ${relativeModuleId}`);
const failed = count('failed') + brokenFiles.length + outsideErrorCount + (inCi ? skipped.length : 0);
const sum = `${count('passed')} passed, ${failed} failed`;
const tally = process.env['TALLY'];
// `.ci/run` adds up several runs and prints the sum itself.
if (tally !== undefined) appendFileSync(tally, `${sum}\n`);
print(
  tally === undefined ? `${sum}${skipped.length > 0 && !inCi ? `, ${skipped.length} skipped` : ''}` : `So far: ${sum}.`,
);
process.exit(failed > 0 || count('passed') === 0 ? 1 : 0);
