import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod/mini';
import { Refusal } from '#platform/contract/refusal.ts';

/** A subcommand for the agent that is already running, with its arguments. */
const requestSchema = z.object({
  /** `tool`: a subcommand of one of the tools, named by `text`. */
  word: z.enum(['status', 'pause', 'resume', 'release', 'send', 'approve', 'tool', 'stop']),
  text: z.optional(z.string()),
  rest: z.optional(z.array(z.string())),
});
export type ControlRequest = z.output<typeof requestSchema>;

/** Lines to print in the terminal that sent the request. */
const replySchema = z.object({ done: z.boolean(), lines: z.array(z.string()) });
export type ControlReply = z.output<typeof replySchema>;

const MAX_LINE_LENGTH = 64 * 1024;
const TIMEOUT_MS = 10_000;

/** Reads the first line; undefined if the other end closes without one. */
const readLine = (socket: Socket): Promise<string | undefined> =>
  new Promise((resolve) => {
    let length = 0;
    socket.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_LINE_LENGTH) socket.destroy();
    });
    const lines = createInterface({ input: socket });
    lines.once('line', resolve);
    lines.once('close', () => resolve(undefined));
  });

/** Sends a request to the running agent. Returns undefined if no agent is running. */
export function requestFromRunningAgent(path: string, request: ControlRequest): Promise<ControlReply | undefined> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.setTimeout(TIMEOUT_MS, () => {
      socket.destroy();
      reject(new Refusal('agent.no_response', 'The agent is running but not responding. Restart it'));
    });
    socket.once('error', () => resolve(undefined));
    socket.once('connect', () => {
      socket.write(`${JSON.stringify(request)}\n`);
      void readLine(socket).then((line) => {
        socket.destroy();
        return resolve(line === undefined ? undefined : replySchema.parse(JSON.parse(line)));
      }, reject);
    });
  });
}

/** Whether the path is that of a named pipe, which is no file: it ends with its process. */
const isNamedPipe = (path: string): boolean => path.startsWith('\\\\.\\pipe\\');

/** Removes the socket of an agent that was killed, and creates its folder. */
function prepareSocketFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rmSync(path, { force: true });
}

type RequestHandler = (request: ControlRequest) => Promise<readonly string[]>;

async function toReply(line: string, handleRequest: RequestHandler): Promise<ControlReply> {
  try {
    return { done: true, lines: [...(await handleRequest(requestSchema.parse(JSON.parse(line))))] };
  } catch (error) {
    return {
      done: false,
      lines: [
        error instanceof Refusal
          ? error.message
          : 'The agent could not read this command. Restart it so that both are the same version',
      ],
    };
  }
}

/**
 * Serves subcommands on a socket that only this user can use. Owning the socket makes this the only agent of the user.
 * Returns undefined if another agent owns it.
 */
export async function openControlSocket(
  path: string,
  handleRequest: RequestHandler,
): Promise<AsyncDisposable | undefined> {
  if (await requestFromRunningAgent(path, { word: 'status' })) return undefined;
  if (!isNamedPipe(path)) prepareSocketFile(path);
  const server = createServer((socket) => {
    socket.on('error', () => undefined); // the client has disconnected
    async function serve(): Promise<void> {
      const line = await readLine(socket);
      if (line !== undefined) socket.end(`${JSON.stringify(await toReply(line, handleRequest))}\n`);
    }
    void serve();
  });
  const previousUmask = process.umask(0o177);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  }).finally(() => process.umask(previousUmask));
  // Windows lets other users read from a named pipe, but not write, so they can't send a request.
  if (!isNamedPipe(path)) chmodSync(path, 0o600);
  return { [Symbol.asyncDispose]: () => new Promise((done) => server.close(() => done())) };
}
