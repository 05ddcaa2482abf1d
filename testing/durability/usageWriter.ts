// A server's usage ingest, to be killed: `usageWriter.ts <data folder> [<database address>]`.
// Sends everything from the start, like a computer without acknowledgements, and prints each acknowledged number.
import { sql } from 'kysely';
import { pino } from 'pino';
import { migrate } from '#platform/server/database/migrate.ts';
import { openDatabase } from '#platform/server/database/openDatabase.ts';
import { deviceMigrations } from '#platform/server/devices/deviceStore.ts';
import { identityMigrations } from '#platform/server/identity/migrations.ts';
import { migrations } from '#tools/screentime/server/migrations.ts';
import { generateUsage, createTestIngest } from '../kits/usage/usage.ts';
import { SEGMENTS_PER_REPORT, USAGE_HOME, USAGE_PLAN } from './usagePlan.ts';

const [, , dataDir, databaseUrl] = process.argv;
if (dataDir === undefined) throw new Error('the data folder is missing');

await using database = await openDatabase({ dataDir, databaseUrl, log: pino({ level: 'error' }, process.stderr) });
await migrate(database, [
  { name: 'identity', migrations: identityMigrations },
  { name: 'device', migrations: deviceMigrations },
  { name: 'screentime', migrations },
]);
await sql`insert into account (name, folded, password, is_owner, created) values ('a', 'a', '', 0, 0) on conflict do nothing`.execute(
  database.db,
);
const ingest = createTestIngest(database, USAGE_HOME, USAGE_PLAN);
const segments = [...generateUsage(USAGE_PLAN)].flatMap((day) => day.segments);
for (let start = 0; start < segments.length; start += SEGMENTS_PER_REPORT) {
  const { taken } = await ingest.ingest({
    account: USAGE_HOME.account,
    device: 1,
    boot: 'boot-0001',
    seq: start + 1,
    dropped: false,
    segments: segments.slice(start, start + SEGMENTS_PER_REPORT),
  });
  process.stdout.write(`${taken}\n`);
}
