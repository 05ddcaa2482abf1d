// A server's database, to be killed: `writer.ts <data folder> [<database address>]`.
// Writes concurrently in several ways, and prints each acknowledged number on its own line.
import { sql, type Kysely } from 'kysely';
import { pino } from 'pino';
import { idColumn } from '#platform/server/database/columns.ts';
import { migrate } from '#platform/server/database/migrate.ts';
import { openDatabase } from '#platform/server/database/openDatabase.ts';

const [, , dataDir, databaseUrl] = process.argv;
if (dataDir === undefined) throw new Error('the data folder is missing');

async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['single', 'pair_left', 'pair_right'])
    await db.schema
      .createTable(table)
      .$call(idColumn(db))
      .addColumn('number', 'bigint', (column) => column.notNull().unique())
      .execute();
}

const database = await openDatabase({ dataDir, databaseUrl, log: pino({ level: 'error' }, process.stderr) });
await migrate(database, [{ name: 'durability', migrations: [{ name: '001-tables', up }] }]);

const { rows } = await sql<{ last: number | null }>`
  select max(number) as last from (select number from single union all select number from pair_left) as kept
`.execute(database.db);
// Starts beyond the numbers of a killed writer that may still be in progress.
let number = (rows[0]?.last ?? 0) + 1_000;

const printAcknowledged = (kind: 'single' | 'pair', committed: number): void =>
  void process.stdout.write(`${kind} ${committed}\n`);

async function writeSingles(): Promise<never> {
  for (;;) {
    const value = (number += 1);
    await sql`insert into single (number) values (${value})`.execute(database.db);
    printAcknowledged('single', value);
  }
}
async function writePairs(): Promise<never> {
  for (;;) {
    const value = (number += 1);
    await database.transaction(async ({ tx, afterCommit }) => {
      await sql`insert into pair_left (number) values (${value})`.execute(tx);
      await sql`insert into pair_right (number) values (${value})`.execute(tx);
      afterCommit(() => printAcknowledged('pair', value));
    });
  }
}

process.stdout.write('ready\n');
await Promise.all([writeSingles(), writeSingles(), writePairs(), writeSingles(), writePairs()]);
