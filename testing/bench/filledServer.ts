import { sql } from 'kysely';
import { pino } from 'pino';
import { createClient } from '#platform/contract/client.ts';
import type { Database } from '#platform/server/database/database.ts';
import { openDatabase } from '#platform/server/database/openDatabase.ts';
import { signUpOwner, type BenchOwner } from './account.ts';
import { createScratchFolder, createServerProgram, runServer, type RunningServer } from './measure.ts';

export interface FilledServer<Content> extends AsyncDisposable {
  readonly server: RunningServer;
  readonly owner: BenchOwner;
  /** Data folder of the server. */
  readonly folder: string;
  /** What `fill` returned. */
  readonly content: Content;
}

interface FilledServerOptions<Content> {
  readonly databaseUrl?: string | undefined;
  /** Further environment variables of the server. */
  readonly env?: Readonly<Record<string, string>>;
  /** Prepares an empty server over its API. */
  readonly prepare?: (origin: string, owner: BenchOwner) => Promise<void>;
  /** Fills the database of the stopped server, whose owner is account 1. */
  readonly fill: (database: Database, folder: string) => Promise<Content>;
}

/** Starts our server on a filled database. */
export async function startFilledServer<Content>(
  options: FilledServerOptions<Content>,
): Promise<FilledServer<Content>> {
  const { databaseUrl, env, prepare, fill } = options;
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await createScratchFolder());
  const program = createServerProgram(folder, databaseUrl, env);
  let token: string;
  {
    await using emptyServer = await runServer(program);
    const owner = await signUpOwner(emptyServer.origin);
    await prepare?.(emptyServer.origin, owner);
    token = owner.token;
  }
  let content: Content;
  {
    await using database = await openDatabase({ dataDir: folder, databaseUrl, log: pino({ enabled: false }) });
    content = await fill(database, folder);
    // Autovacuum would do this within a minute.
    if (database.dialect === 'postgres') await sql`analyze`.execute(database.db);
  }
  const server = stack.use(await runServer(program));
  const all = stack.move();
  const call = createClient({ origin: server.origin, token: () => token });
  return { server, owner: { token, call }, folder, content, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
