// `npm test`: prepares the machine, builds, runs every test, and ends with the line that sums them up.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { startVitest, type Reporter } from 'vitest/node';
import { prepareMachine } from './machine.ts';

const { positionals: files, values } = parseArgs({
  allowPositionals: true,
  options: { testNamePattern: { type: 'string', short: 't' } },
});
const { testNamePattern } = values;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

prepareMachine(say);
const built = spawnSync(process.execPath, ['build.ts', '--if-stale'], { stdio: 'inherit' });
if (built.status !== 0) process.exit(built.status ?? 1);

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
const vitest = await startVitest(files, {
  watch: false,
  reporters: ['default', tellingAtOnce],
  ...(testNamePattern !== undefined && { testNamePattern }),
});
const modules = vitest.state.getTestModules();
const tests = modules.flatMap((module) => [...module.children.allTests()]);
const counted = Map.groupBy(tests, (test) => test.result().state);
const count = (state: 'passed' | 'failed' | 'skipped'): number => counted.get(state)?.length ?? 0;
// A file that did not load has no tests to fail, and an error outside of tests belongs to none.
const brokenFiles = modules.filter(
  (module) => module.state() === 'failed' && [...module.children.allTests('failed')].length === 0,
);
const outside = vitest.state.getUnhandledErrors().length;
await vitest.close();

const skipped = counted.get('skipped') ?? [];
for (const test of skipped) say(`skipped: ${test.module.relativeModuleId}: ${test.fullName}`);
const inCi = process.env['CI'] === 'true';
// Once more, together and last: of a long run only the end may be at hand.
for (const test of counted.get('failed') ?? []) say(`failed: ${test.module.relativeModuleId}: ${test.fullName}`);
for (const { relativeModuleId } of brokenFiles) say(`failed to load: ${relativeModuleId}`);
const failed = count('failed') + brokenFiles.length + outside + (inCi ? skipped.length : 0);
say(`${count('passed')} passed, ${failed} failed${skipped.length > 0 && !inCi ? `, ${skipped.length} skipped` : ''}`);
process.exit(failed > 0 || count('passed') === 0 ? 1 : 0);
