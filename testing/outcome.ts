import { appendFileSync } from 'node:fs';
import type { Reporter, TestCase, Vitest } from 'vitest/node';

const print = (line: string): void => void process.stdout.write(`${line}\n`);
/** `.ci/run` sets these: a file for the failures and sums of all its runs, and that nothing may be skipped. */
const tally = process.env['TALLY'];
const inCi = process.env['CI'] === 'true';
const addToTally = (line: string): void => void (tally !== undefined && appendFileSync(tally, `${line}\n`));

interface ErrorReport {
  readonly message?: string | undefined;
  readonly stack?: string | undefined;
  readonly diff?: string | undefined;
  readonly cause?: ErrorReport | undefined;
}

const formatError = ({ stack, message = 'unknown error' }: ErrorReport): string => stack ?? message;

/** Formats a failure. All lines but the first are indented, so that none is taken for the sum of a run. */
function formatFailure(title: string, errors: readonly ErrorReport[]): string {
  const lines = errors.flatMap((error) => [
    formatError(error),
    ...(error.diff === undefined ? [] : [error.diff]),
    // The failure of a law has the actual error behind its counterexample.
    ...(error.cause ? [`because of ${formatError(error.cause)}`] : []),
  ]);
  return [title, ...lines].join('\n').replaceAll('\n', '\n  ');
}

const getTestName = (test: TestCase): string => `${test.module.relativeModuleId}: ${test.fullName}`;

/** Prints failures immediately, so that an aborted run has reported them. */
export const failureReporter: Reporter = {
  onTestCaseResult: (test) => {
    const { state, errors = [] } = test.result();
    if (state !== 'failed') return;
    const report = formatFailure(`FAILED ${getTestName(test)}`, errors);
    print(report);
    addToTally(report);
  },
};

export interface Outcome {
  readonly passed: readonly TestCase[];
  readonly failed: readonly TestCase[];
  readonly skipped: readonly TestCase[];
  /** Failures outside of tests: files that did not load, hooks, and errors that belong to no test. */
  readonly otherFailures: readonly string[];
}

/** Reads the results of a run. @param belongsToRun selects the tests that count */
export function readOutcome(vitest: Vitest, belongsToRun: (test: TestCase) => boolean = () => true): Outcome {
  const modules = vitest.state.getTestModules();
  const tests = modules.flatMap((module) => [...module.children.allTests()]).filter(belongsToRun);
  const listByState = (state: 'passed' | 'failed' | 'skipped'): readonly TestCase[] =>
    tests.filter((test) => test.result().state === state);
  const hookFailures = modules.flatMap((module) =>
    [module, ...module.children.allSuites()].flatMap((part) => {
      const errors = part.errors();
      const name = part.type === 'suite' ? `: ${part.fullName}` : '';
      return errors.length > 0
        ? [formatFailure(`FAILED outside of tests, ${module.relativeModuleId}${name}`, errors)]
        : [];
    }),
  );
  const unhandled = vitest.state
    .getUnhandledErrors()
    .map((error) => formatFailure('FAILED outside of tests', [error as ErrorReport]));
  return {
    passed: listByState('passed'),
    failed: listByState('failed'),
    skipped: listByState('skipped'),
    otherFailures: [...hookFailures, ...unhandled],
  };
}

/** Prints what failed and the sum of a run, and ends the process. `.ci/run` adds up several sums. */
export function exitWithSum({ passed, failed, skipped, otherFailures }: Outcome): never {
  for (const test of skipped) print(`skipped: ${getTestName(test)}`);
  // Repeated at the end, as often only the end of a long log is visible.
  for (const test of failed) print(`failed: ${getTestName(test)}`);
  for (const failure of otherFailures) {
    print(failure);
    addToTally(failure);
  }
  if (inCi) for (const test of skipped) addToTally(`FAILED, as it was skipped: ${getTestName(test)}`);
  const failedCount = failed.length + otherFailures.length + (inCi ? skipped.length : 0);
  const sum = `${passed.length} passed, ${failedCount} failed`;
  addToTally(sum);
  const skippedPart = skipped.length > 0 && !inCi ? `, ${skipped.length} skipped` : '';
  print(tally === undefined ? `${sum}${skippedPart}` : `So far: ${sum}.`);
  process.exit(failedCount > 0 || passed.length === 0 ? 1 : 0);
}
