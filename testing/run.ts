// `npm test`: prepares the machine, builds, runs every test, and ends with the line that sums them up.
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
    /** Only the tests that the changes since the last commit can affect, or since the one given by `--since`. */
    changed: { type: 'boolean', default: false },
    since: { type: 'string' },
    /** `npm run test:pages`: the tests with the tag `matrix`, which `npm test` leaves to it. */
    matrix: { type: 'boolean', default: false },
  },
});
const { testNamePattern } = values;
const MATRIX = 'matrix';
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Paths that git has as changed since a commit, those it does not know yet included. */
const changesSince = (commit: string): readonly string[] =>
  [
    ['diff', '--name-only', commit],
    ['ls-files', '--others', '--exclude-standard'],
  ].flatMap((how) => {
    const { status, stdout, stderr } = spawnSync('git', how, { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return stdout.split('\n').filter((line) => line !== '');
  });

const chooseFiles = (): readonly string[] => {
  const isChanged = values.changed || values.since !== undefined;
  if (!isChanged && !values.matrix) return positionals;
  const paths = globSync('{apps,platform,tools,testing,scripts}/**/*.{ts,tsx}', { exclude: ['apps/*/dist/**'] });
  const sources = new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]));
  const tests = isChanged ? findAffectedTests(changesSince(values.since ?? 'HEAD'), sources) : paths.filter(isTest);
  const files = tests.filter(
    (path) =>
      (!values.matrix || sources.get(path)?.includes(`tags: '${MATRIX}'`)) &&
      (positionals.length === 0 || positionals.some((part) => path.includes(part))),
  );
  if (files.length > 0) return files;
  say('No test is affected');
  process.exit();
};

const files = chooseFiles();
useMemoryForTemporaryFiles(say);
// Side by side: packages are waited for, the build computes.
const prepared = prepareMachine(say);
const build = spawn(process.execPath, ['build.ts', '--if-stale'], { stdio: 'inherit' });
const [status] = await once(build, 'exit');
if (status !== 0) process.exit(status ?? 1);
await prepared;

/** A run that is ended half way has told its failures all the same. */
const tellingAtOnce: Reporter = {
  onTestCaseResult: (test) => {
    const { state, errors = [] } = test.result();
    if (state !== 'failed') return;
    say(`FAILED ${test.module.relativeModuleId}: ${test.fullName}`);
    for (const { stack, message, diff, cause } of errors) {
      say(stack ?? message);
      if (diff !== undefined) say(diff);
      // A law's failure has what was wrong behind its counterexample.
      if (cause) say(`because of ${cause.stack ?? cause.message}`);
    }
  },
};
const vitest = await startVitest([...files], {
  watch: false,
  reporters: ['default', tellingAtOnce],
  tagsFilter: [values.matrix ? MATRIX : `not ${MATRIX}`],
  ...(testNamePattern !== undefined && { testNamePattern }),
});
const modules = vitest.state.getTestModules();
const isOfRun = ({ tags }: TestCase): boolean => tags.includes(MATRIX) === values.matrix;
const tests = modules.flatMap((module) => [...module.children.allTests()]).filter(isOfRun);
const counted = Map.groupBy(tests, (test) => test.result().state);
const count = (state: 'passed' | 'failed' | 'skipped'): number => counted.get(state)?.length ?? 0;
// A file that did not load has no tests to fail, and an error outside of tests belongs to none.
const brokenFiles = modules.filter(
  (module) => module.state() === 'failed' && [...module.children.allTests('failed')].length === 0,
);
const outside = vitest.state.getUnhandledErrors().length;
await vitest.close();

const wallSeconds = (module: TestModule): number => {
  const { prepareDuration, setupDuration, collectDuration, duration } = module.diagnostic();
  return (prepareDuration + setupDuration + collectDuration + duration) / 1000;
};
const runs = modules.map((module) => ({
  path: module.relativeModuleId,
  wallSeconds: wallSeconds(module),
  cost: module.meta().cost,
}));
const testRuns = tests.map((test) => ({
  name: `${test.module.relativeModuleId}: ${test.fullName}`,
  wallSeconds: (test.diagnostic()?.duration ?? 0) / 1000,
}));
for (const line of formatCosts(runs, testRuns)) say(line);

const skipped = counted.get('skipped') ?? [];
for (const test of skipped) say(`skipped: ${test.module.relativeModuleId}: ${test.fullName}`);
const inCi = process.env['CI'] === 'true';
// Once more, together and last: of a long run only the end may be at hand.
for (const test of counted.get('failed') ?? []) say(`failed: ${test.module.relativeModuleId}: ${test.fullName}`);
for (const { relativeModuleId } of brokenFiles) say(`failed to load: ${relativeModuleId}`);
const failed = count('failed') + brokenFiles.length + outside + (inCi ? skipped.length : 0);
const sum = `${count('passed')} passed, ${failed} failed`;
const tally = process.env['TALLY'];
// `.ci/run` adds several runs up and says the sum itself.
if (tally !== undefined) appendFileSync(tally, `${sum}\n`);
say(
  tally === undefined ? `${sum}${skipped.length > 0 && !inCi ? `, ${skipped.length} skipped` : ''}` : `So far: ${sum}.`,
);
process.exit(failed > 0 || count('passed') === 0 ? 1 : 0);
