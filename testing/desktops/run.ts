// `npm run test:desktops [-- --all] [file …]`: the tests of desktops that are too large for `npm test`.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import { prepareMachine } from '../machine.ts';
import { exitWithSum, failureReporter, readOutcome } from '../outcome.ts';
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
  reporters: ['verbose', failureReporter],
  // Each desktop takes a core.
  maxWorkers: 1,
  // Without `--all`, files of other systems have none.
  passWithNoTests: true,
});
const modules = vitest.state.getTestModules();
const outcome = readOutcome(vitest);
await vitest.close();

const { failed, skipped, otherFailures } = outcome;
if ([...failed, ...skipped, ...otherFailures].length === 0 && positionals.length === 0) {
  const passedByFile = modules.map((module) => [module.relativeModuleId, [...module.children.allTests()].length]);
  writeLastRun({
    sources,
    date: Temporal.Now.plainDateISO().toString(),
    passed: Object.fromEntries(passedByFile.filter(([, passed]) => passed !== 0)),
  });
}
exitWithSum(outcome);
