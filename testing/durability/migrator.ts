// An upgrade, to be killed: `migrator.ts <data folder> <database address or ''> <statements>`.
// Kills itself at about that many statements.
import { pino } from 'pino';
import { migrate } from '#platform/server/database/migrate.ts';
import { openDatabase } from '#platform/server/database/openDatabase.ts';
import { listMigrationSets } from '../../apps/server/assemble.ts';

const [, , dataDir = '', databaseUrl = '', statements = ''] = process.argv;
let remaining = Number(statements);

const database = await openDatabase({
  dataDir,
  databaseUrl: databaseUrl === '' ? undefined : databaseUrl,
  log: pino({ level: 'error' }, process.stderr),
});
const db = database.db.withPlugin({
  transformQuery: ({ node }) => {
    remaining -= 1;
    // The statement itself may be running by then, or its commit.
    if (remaining === 0) setTimeout(() => process.kill(process.pid, 'SIGKILL'), Math.random() * 3);
    return node;
  },
  transformResult: async ({ result }) => result,
});
await migrate({ db }, listMigrationSets());
await database[Symbol.asyncDispose]();
