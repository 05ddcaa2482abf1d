// `npm run test:faults [suite …]`: tests that take too long for `npm test`.
// Prints how much was tried; fails if anything failed.
import { prepareMachine } from '../machine.ts';
import { attacksSuite } from './attacks.ts';
import { backupSuite } from './backups.ts';
import { disasterSuite } from './disaster.ts';
import { diskFullSuite } from './diskFull.ts';
import { engineSuite } from './engine.ts';
import { fuzzSuite } from './fuzz.ts';
import { householdSuite } from './household.ts';
import { importsSuite } from './imports.ts';
import { instancesSuite } from './instances.ts';
import { killedInstanceSuite } from './killedInstance.ts';
import { movesSuite } from './moves.ts';
import { outagesSuite } from './outages.ts';
import { probingSuite } from './probing.ts';
import { serverSuite } from './server.ts';
import type { SuiteResult, FaultSuite } from './suite.ts';
import { upgradesSuite } from './upgrades.ts';
import { watchingSuite } from './watching.ts';
import { instancesWritesSuite, writesSuite } from './writes.ts';

const suites: readonly FaultSuite[] = [
  engineSuite,
  serverSuite,
  writesSuite,
  fuzzSuite,
  diskFullSuite,
  upgradesSuite,
  movesSuite,
  importsSuite,
  backupSuite,
  disasterSuite,
  outagesSuite,
  probingSuite,
  attacksSuite,
  householdSuite,
  instancesWritesSuite,
  killedInstanceSuite,
  instancesSuite,
  watchingSuite,
];

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const requested = process.argv.slice(2);
const unknown = requested.filter((name) => suites.every((suite) => suite.name !== name));
if (unknown.length > 0) {
  print(`There is no suite '${unknown.join("', '")}': there are ${suites.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

/** A suite that could not run has failed as well. */
async function runSuite(suite: FaultSuite): Promise<readonly SuiteResult[]> {
  try {
    return await suite.run((line) => print(`${suite.name}: ${line}`));
  } catch (error) {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return [{ what: suite.name, caseCount: 0, failures: [why] }];
  }
}

await prepareMachine(print);
const counts: SuiteResult[] = [];
for (const suite of suites) {
  if (requested.length > 0 && !requested.includes(suite.name)) continue;
  print(`${suite.name} …`);
  counts.push(...(await runSuite(suite)));
}
print('');
for (const { what, failures } of counts) for (const failure of failures) print(`FAILED: ${what}\n${failure}\n`);
for (const { what, caseCount, failures } of counts)
  print(`${what}: ${caseCount.toLocaleString('en')} tried, ${failures.length} failed`);
process.exit(counts.some(({ caseCount, failures }) => caseCount === 0 || failures.length > 0) ? 1 : 0);
