import type { FastifyBaseLogger } from 'fastify';
import type { Database } from './database.ts';
import { prepareDataFolder } from './folder.ts';
import { openSqlite } from './sqlite.ts';

export interface DatabaseOptions {
  /** The folder that everything the server keeps lies in. */
  readonly dataDir: string;
  /** PostgreSQL instead of SQLite. */
  readonly databaseUrl?: string | undefined;
  readonly log: FastifyBaseLogger;
  /** Told once when the database cannot be used any more. By default it is thrown where nobody catches it, which ends the server. */
  readonly onFatal?: (error: Error) => void;
  /** Told at every write that found no room on the disk (SQLite alone). */
  readonly onFull?: () => void;
}

/** Opens the server's one database. @throws Refusal with a sentence for the operator where the server must not start. */
export const openDatabase = async (options: DatabaseOptions): Promise<Database> => {
  const { dataDir, databaseUrl, log, onFull, onFatal = throwUncaught } = options;
  const fatal = (error: Error): void => {
    log.fatal({ err: error }, 'database.failed');
    onFatal(error);
  };
  await prepareDataFolder(dataDir, log);
  if (databaseUrl === undefined) return openSqlite({ dataDir, log, onFatal: fatal, onFull });
  // Loaded only where it is used: the client alone costs memory that most servers can do without.
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres({ databaseUrl, log, onFatal: fatal });
};

const throwUncaught = (error: Error): void => {
  setImmediate(() => {
    throw error;
  });
};
