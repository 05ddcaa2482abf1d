import { chmod, rm } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { Refusal } from '#platform/contract/refusal.ts';
import type { ServerContext, ServerTool } from '#platform/server/tool.ts';
import { runAdminCommand, type AdminRequest } from './adminCommands.ts';

// `pegboard` talks to a running server over a Unix socket in the data folder, which only the server's user can open.

const requestSchema = z.object({ words: z.array(z.string()), owner: z.boolean(), yes: z.boolean(), mend: z.boolean() });
const resultSchema = z.object({
  said: z.optional(z.string()),
  refused: z.optional(z.string()),
  code: z.optional(z.string()),
});
export type AdminResult = z.output<typeof resultSchema>;

const getSocketPath = (dataDir: string): string => join(dataDir, 'control.sock');

/** Runs a command, and returns a refusal as its message. */
export async function toAdminResult(run: () => Promise<string>): Promise<AdminResult> {
  try {
    return { said: await run() };
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.message, code: error.code };
    throw error;
  }
}

/** Reads until the other side ends. Our own side stays open. */
const readAll = (socket: Socket): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => void (text += chunk));
    socket.once('end', () => resolve(text)).once('error', reject);
  });

type RunAdminCommand = (request: AdminRequest) => Promise<string>;

async function handleConnection(socket: Socket, run: RunAdminCommand, log: ServerContext['log']): Promise<void> {
  try {
    const request = requestSchema.parse(JSON.parse(await readAll(socket)));
    socket.end(JSON.stringify(await toAdminResult(() => run(request))));
  } catch (error) {
    log.error({ err: error }, 'admin.command.failed');
    socket.end(JSON.stringify({ refused: 'Something went wrong on the server. Its log has the details' }));
  }
}

const isReachable = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(path);
    socket
      .once('error', () => resolve(false))
      .once('connect', () => {
        socket.destroy();
        resolve(true);
      });
  });

async function listen(dataDir: string, run: RunAdminCommand, log: ServerContext['log']): Promise<() => Promise<void>> {
  const path = getSocketPath(dataDir);
  // Left by a killed server. Of several instances on this computer, the first one has it.
  if (await isReachable(path)) return async () => undefined;
  await rm(path, { force: true });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    void handleConnection(socket, run, log);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(path, resolve);
  });
  await chmod(path, 0o600);
  return () => new Promise((resolve) => void server.close(() => resolve()));
}

/**
 * Lets the command line reach the running server. Without Unix sockets (Windows, paths over 107 bytes),
 * admin commands ask the operator to stop the server first.
 */
export const controlTool: ServerTool = {
  name: 'control',
  migrations: [],
  start: ({ identity, database, backups, dataDir, log }, { deleteAccountData, checkData, listImports }) => {
    const run: RunAdminCommand = (request) =>
      runAdminCommand({ identity, database, backups, log, deleteAccountData, checkData, listImports }, request);
    const listening = listen(dataDir, run, log).catch((error: unknown) => {
      log.warn({ err: error }, 'admin.socket.failed');
      return async () => undefined;
    });
    return { calls: [], stop: async () => (await listening)() };
  },
};

/** Runs a command on the running server of this data folder; undefined if there is none. */
export async function requestFromRunningServer(
  dataDir: string,
  request: AdminRequest,
): Promise<AdminResult | undefined> {
  const socket = createConnection(getSocketPath(dataDir));
  const isConnected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  if (!isConnected) return undefined;
  socket.end(JSON.stringify(request));
  return resultSchema.parse(JSON.parse(await readAll(socket)));
}
