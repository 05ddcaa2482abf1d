// `npm run test:desktops [-- --all] [file …]`: the tests of desktops that are too large for `npm test`.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import { prepareMachine } from '../machine.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    /** Also desktops that need a folder with another system: see docs/development.md. */
    all: { type: 'boolean', default: false },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);

await prepareMachine(print);
// The self-check opens a page.
if (spawnSync(process.execPath, ['build.ts', '--if-stale'], { stdio: 'inherit' }).status !== 0) process.exit(1);
process.env['ALL_DESKTOPS'] = values.all ? 'true' : '';
const files = globSync('{platform,tools,testing,apps}/**/*.desktop.ts').filter(
  (path) => positionals.length === 0 || positionals.some((part) => path.includes(part)),
);
const vitest = await startVitest(files, {
  config: 'testing/desktops/vitest.config.ts',
  watch: false,
  reporters: ['verbose'],
  // Each desktop takes a core.
  maxWorkers: 1,
});
const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
const count = (state: 'passed' | 'failed' | 'skipped'): number =>
  tests.filter((test) => test.result().state === state).length;
const brokenCount = vitest.state.getTestModules().filter((module) => module.errors().length > 0).length;
await vitest.close();
const failed = count('failed') + brokenCount + vitest.state.getUnhandledErrors().length;
print(`${count('passed')} passed, ${failed} failed, ${count('skipped')} skipped`);
process.exit(failed > 0 || count('passed') === 0 ? 1 : 0);
