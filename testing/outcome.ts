import { appendFileSync } from 'node:fs';
import type { Reporter, TestCase, Vitest } from 'vitest/node';

const print = (line: string): void => void process.stdout.write(`${line}\n`);
/** `.ci/run` sets these: a file for the failures and sums of all its runs, and that nothing may be skipped. */
const tally = process.env['TALLY'];
const inCi = process.env['CI'] === 'true';
const addToTally = (line: string): void => void (tally !== undefined && appendFileSync(tally, `${line}\n`));

/** Prints failures immediately, so that an aborted run has reported them. */
export const failureReporter: Reporter = {
  onTestCaseResult: (test) => {
    const { state, errors = [] } = test.result();
    if (state !== 'failed') return;
    const lines = [`FAILED ${test.module.relativeModuleId}: ${test.fullName}`];
    for (const { stack, message, diff, cause } of errors) {
      lines.push(stack ?? message);
      if (diff !== undefined) lines.push(diff);
      // The failure of a law has the actual error behind its counterexample.
      if (cause) lines.push(`because of ${cause.stack ?? cause.message}`);
    }
    const report = lines.join('\n');
    print(report);
    addToTally(report);
  },
};

export interface Outcome {
  readonly tests: readonly TestCase[];
  readonly passedCount: number;
  readonly failedCount: number;
  readonly skippedCount: number;
}

/** Counts the results of a run. @param belongsToRun selects the tests that count */
export function readOutcome(vitest: Vitest, belongsToRun: (test: TestCase) => boolean = () => true): Outcome {
  const modules = vitest.state.getTestModules();
  const tests = modules.flatMap((module) => [...module.children.allTests()]).filter(belongsToRun);
  const testsByState = Map.groupBy(tests, (test) => test.result().state);
  const [passed = [], failed = [], skipped = []] = (['passed', 'failed', 'skipped'] as const).map((state) =>
    testsByState.get(state),
  );
  // A file that did not load has no tests to fail, and an error outside of tests belongs to none.
  const brokenFiles = modules.filter(
    (module) => module.state() === 'failed' && [...module.children.allTests('failed')].length === 0,
  );
  const outsideErrors = vitest.state.getUnhandledErrors();
  for (const test of skipped) print(`skipped: ${test.module.relativeModuleId}: ${test.fullName}`);
  // Repeated at the end, as often only the end of a long log is visible.
  for (const test of failed) print(`failed: ${test.module.relativeModuleId}: ${test.fullName}`);
  for (const line of [
    ...brokenFiles.map(({ relativeModuleId }) => `failed to load: ${relativeModuleId}`),
    ...outsideErrors.map((error) => `failed outside of tests: ${error instanceof Error ? error.stack : String(error)}`),
    ...(inCi ? skipped.map((test) => `skipped: ${test.module.relativeModuleId}: ${test.fullName}`) : []),
  ]) {
    print(line);
    addToTally(line);
  }
  return {
    tests,
    passedCount: passed.length,
    failedCount: failed.length + brokenFiles.length + outsideErrors.length + (inCi ? skipped.length : 0),
    skippedCount: skipped.length,
  };
}

/** Prints the sum of a run and ends the process. `.ci/run` adds up several sums and prints the result itself. */
export function exitWithSum({ passedCount, failedCount, skippedCount }: Outcome): never {
  const sum = `${passedCount} passed, ${failedCount} failed`;
  addToTally(sum);
  const skipped = skippedCount > 0 && !inCi ? `, ${skippedCount} skipped` : '';
  print(tally === undefined ? `${sum}${skipped}` : `So far: ${sum}.`);
  process.exit(failedCount > 0 || passedCount === 0 ? 1 : 0);
}
