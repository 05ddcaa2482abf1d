import { chmod, rm } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { Refusal } from '#platform/contract/refusal.ts';
import type { ServerContext, ServerTool } from '#platform/server/tool.ts';
import { runAdminCommand, type AdminRequest } from './adminCommands.ts';

// `pegboard` speaks to a running server over a unix socket in the data folder, which its own user alone may open.

const wishShape = z.object({ words: z.array(z.string()), owner: z.boolean(), yes: z.boolean(), mend: z.boolean() });
const outcomeShape = z.object({ said: z.optional(z.string()), refused: z.optional(z.string()) });
export type AdminResult = z.output<typeof outcomeShape>;

const socketPath = (dataDir: string): string => join(dataDir, 'control.sock');

/** Runs a wish and gives a refusal as its sentence. */
export async function toAdminResult(run: () => Promise<string>): Promise<AdminResult> {
  try {
    return { said: await run() };
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.message };
    throw error;
  }
}

/** All that comes until the other side ends; its own side stays open. */
const readAll = (socket: Socket): Promise<string> =>
  new Promise((resolve, reject) => {
    let read = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => void (read += chunk));
    socket.once('end', () => resolve(read)).once('error', reject);
  });

type RunAdminCommand = (wish: AdminRequest) => Promise<string>;

const answer = async (socket: Socket, run: RunAdminCommand, log: ServerContext['log']): Promise<void> => {
  try {
    const wish = wishShape.parse(JSON.parse(await readAll(socket)));
    socket.end(JSON.stringify(await toAdminResult(() => run(wish))));
  } catch (error) {
    log.error({ err: error }, 'a command of the operator failed');
    socket.end(JSON.stringify({ refused: 'The server failed at this; its log says why' }));
  }
};

const listen = async (
  dataDir: string,
  run: RunAdminCommand,
  log: ServerContext['log'],
): Promise<() => Promise<void>> => {
  const path = socketPath(dataDir);
  await rm(path, { force: true }); // one that a killed server left: the lock says that no other is running
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    void answer(socket, run, log);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(path, resolve);
  });
  await chmod(path, 0o600);
  return () => new Promise((resolve) => void server.close(() => resolve()));
};

/** Lets the command line reach the running server. Where there can be no such socket (a path over 107 bytes, Windows), commands ask to stop the server first. */
export const controlTool: ServerTool = {
  name: 'control',
  migrations: [],
  start: ({ identity, database, dataDir, log }, { deleteAccountData, checkData }) => {
    const run: RunAdminCommand = (wish) => runAdminCommand({ identity, database, deleteAccountData, checkData }, wish);
    const listening = listen(dataDir, run, log).catch((error: unknown) => {
      log.warn({ err: error }, 'control socket not opened');
      return async () => undefined;
    });
    return { calls: [], stop: async () => (await listening)() };
  },
};

/** Asks the running server of this data folder; undefined where none answers. */
export async function requestFromRunningServer(dataDir: string, wish: AdminRequest): Promise<AdminResult | undefined> {
  const socket = createConnection(socketPath(dataDir));
  const isThere = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  if (!isThere) return undefined;
  socket.end(JSON.stringify(wish));
  return outcomeShape.parse(JSON.parse(await readAll(socket)));
}
