// A move, to be killed: `mover.ts <source> <target>`, each a data folder or an address of PostgreSQL.
// Prints when it starts, and its largest use of memory at the end.
import { pino } from 'pino';
import type { DatabaseAddress } from '#platform/server/database/readDatabase.ts';
import { moveDatabase } from '#platform/server/move/moveDatabase.ts';
import { listMigrationSets } from '../../apps/server/assemble.ts';
import { derivedTables } from './oldDatabases.ts';

const [, , dataDir = '', source = '', target = ''] = process.argv;
const toAddress = (text: string): DatabaseAddress =>
  text.startsWith('postgres:') ? { dataDir, databaseUrl: text } : { dataDir: text, databaseUrl: undefined };

process.stdout.write('started\n');
await moveDatabase({
  source: toAddress(source),
  target: toAddress(target),
  sets: listMigrationSets(),
  derivedTables,
  log: pino({ level: 'error' }, process.stderr),
});
process.stdout.write(`peak ${process.resourceUsage().maxRSS}\n`);
