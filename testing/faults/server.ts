import { randomInt } from 'node:crypto';
import { lacks } from '../machine.ts';
import { startPostgres } from '../postgres.ts';
import { play } from '../sync/play.ts';
import type { Count, Suite } from './suite.ts';

const HISTORIES = 200;
/** Lines that say how far it is. */
const EVERY = 20;

const tryOut = async (what: string, say: (line: string) => void, databaseUrl?: string): Promise<Count> => {
  const seed = randomInt(2 ** 30);
  const { histories, kills, hit, failures } = await play({
    histories: HISTORIES,
    seed,
    databaseUrl,
    onProgress: (so) => {
      if (so.histories % EVERY !== 0) return;
      say(`${what}: ${so.histories} of ${HISTORIES} histories, ${so.kills} kills, ${so.failures.length} failed`);
    },
  });
  say(`${what}: seed ${seed}, ${kills} kills fell into ${hit} histories`);
  return { what: `a real server on ${what}, killed ${kills} times`, tried: histories, failures };
};

/** Histories of lists through real calls and sockets, with the server killed all the while. */
export const serverSuite: Suite = {
  name: 'server',
  run: async (say) => {
    const onSqlite = await tryOut('SQLite', say);
    const lack = lacks('initdb');
    if (lack !== undefined) {
      say(`PostgreSQL: ${lack}`);
      return [onSqlite];
    }
    const postgres = await startPostgres();
    try {
      return [onSqlite, await tryOut('PostgreSQL', say, await postgres.freshDatabase())];
    } finally {
      await postgres.stop();
    }
  },
};
