import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod/mini';
import { Refusal } from '#platform/contract/refusal.ts';

/** A word for the agent that runs already, and what belongs to it. */
const request = z.object({
  /** `tool`: a word that one of the tools answers, named by `text`. */
  word: z.enum(['status', 'pause', 'resume', 'release', 'send', 'approve', 'tool']),
  text: z.optional(z.string()),
  rest: z.optional(z.array(z.string())),
});
export type ControlRequest = z.output<typeof request>;

/** Lines for the terminal that asked. */
const reply = z.object({ done: z.boolean(), lines: z.array(z.string()) });
export type ControlReply = z.output<typeof reply>;

const MAX_LINE_LENGTH = 64 * 1024;
const TIMEOUT_MS = 10_000;

/** The first line that comes; undefined where the other end closes without one. */
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

/** Asks the agent that runs; undefined where none does. */
export function requestFromRunningAgent(path: string, asked: ControlRequest): Promise<ControlReply | undefined> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.setTimeout(TIMEOUT_MS, () => {
      socket.destroy();
      reject(new Refusal('The agent runs, but does not answer'));
    });
    socket.once('error', () => resolve(undefined));
    socket.once('connect', () => {
      socket.write(`${JSON.stringify(asked)}\n`);
      void readLine(socket).then((line) => {
        socket.destroy();
        return resolve(line === undefined ? undefined : reply.parse(JSON.parse(line)));
      }, reject);
    });
  });
}

const answerOf = async (
  line: string,
  answer: (asked: ControlRequest) => Promise<readonly string[]>,
): Promise<ControlReply> => {
  try {
    return { done: true, lines: [...(await answer(request.parse(JSON.parse(line))))] };
  } catch (error) {
    return {
      done: false,
      lines: [error instanceof Refusal ? error.message : 'The agent did not understand this word'],
    };
  }
};

/**
 * Answers the agent's other words on a socket that only this user reaches; holding it makes this the only agent.
 * Undefined where another agent has it.
 */
export async function openControlSocket(
  path: string,
  answer: (asked: ControlRequest) => Promise<readonly string[]>,
): Promise<AsyncDisposable | undefined> {
  if (await requestFromRunningAgent(path, { word: 'status' })) return undefined;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rmSync(path, { force: true }); // left behind by an agent that was killed
  const server = createServer((socket) => {
    socket.on('error', () => undefined); // whoever asked went away
    const serve = async (): Promise<void> => {
      const line = await readLine(socket);
      if (line !== undefined) socket.end(`${JSON.stringify(await answerOf(line, answer))}\n`);
    };
    void serve();
  });
  const before = process.umask(0o177);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  }).finally(() => process.umask(before));
  chmodSync(path, 0o600);
  return {
    [Symbol.asyncDispose]: () => new Promise((done) => server.close(() => done())),
  };
}
