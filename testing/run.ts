// `npm test`: prepares the machine, builds, runs all tests, and prints a summary.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startVitest, type TestModule } from 'vitest/node';
import { COMPILE_CACHE } from '../apps/server/buildStamp.ts';
import { findAffectedTests, isTest } from './affected.ts';
import { prepareMachine } from './machine.ts';
import { exitWithSum, failureReporter, readOutcome } from './outcome.ts';
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
    /** `npm run test:cluster`: tests of servers and journeys, with two instances behind a proxy for each server. */
    cluster: { type: 'boolean', default: false },
    /** With songs and recordings in a bucket, for the tests that are named. */
    bucket: { type: 'boolean', default: false },
  },
});
const { testNamePattern } = values;
const MATRIX = 'matrix';
if (values.cluster) process.env['TEST_CLUSTER'] = 'true';
if (values.bucket) process.env['TEST_BUCKET'] = 'true';
// For the programs that tests start.
process.env['NODE_COMPILE_CACHE'] ??= COMPILE_CACHE;
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

/** Returns whether a file tests whole servers, by calls or as a journey of a user. */
const isServerTest = (path: string, source: string): boolean =>
  path.startsWith('testing/journeys/') ||
  (/\bstart(Server|ServerWithContext)\b/.test(source) && !source.includes('startCluster') && path.endsWith('.test.ts'));

function selectFiles(): readonly string[] {
  const isChanged = values.changed || values.since !== undefined;
  if (!isChanged && !values.matrix && (!values.cluster || positionals.length > 0)) return positionals;
  const paths = globSync('{apps,platform,tools,testing,scripts}/**/*.{ts,tsx}', { exclude: ['apps/*/dist/**'] });
  const sources = new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]));
  const tests = isChanged ? findAffectedTests(listChangedPaths(values.since ?? 'HEAD'), sources) : paths.filter(isTest);
  const files = tests.filter(
    (path) =>
      (!values.matrix || sources.get(path)?.includes(`tags: '${MATRIX}'`)) &&
      (!values.cluster || isServerTest(path, sources.get(path) ?? '')) &&
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

const vitest = await startVitest([...files], {
  watch: false,
  reporters: ['default', failureReporter],
  tagsFilter: [values.matrix ? MATRIX : `not ${MATRIX}`],
  ...(testNamePattern !== undefined && { testNamePattern }),
});
const modules = vitest.state.getTestModules();
const outcome = readOutcome(vitest, ({ tags }) => tags.includes(MATRIX) === values.matrix);
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
const testRuns = [...outcome.passed, ...outcome.failed].map((test) => ({
  name: `${test.module.relativeModuleId}: ${test.fullName}`,
  wallSeconds: (test.diagnostic()?.duration ?? 0) / 1000,
}));
for (const line of formatCosts(runs, testRuns)) print(line);
exitWithSum(outcome);
