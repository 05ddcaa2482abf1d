import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  COMMAND_TOO_LATE_MESSAGE,
  MAX_COMMAND_AGE_MS,
  commandEnvelope,
  type CommandEnvelope,
} from '#platform/contract/command.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import type { AccountData } from './pairedAccount.ts';
import type { CommandHandler } from './tool.ts';

/** Number of commands whose answers are stored. */
const MAX_STORED_ANSWERS = 256;

/** What the store has about the idempotency key of a command: nothing, a start without an end, or the answer. */
export type CommandRecord =
  | { readonly kind: 'new' }
  | { readonly kind: 'started' }
  | { readonly kind: 'answered'; readonly answer: unknown };

/** Records executed commands by their idempotency keys, so that no command runs twice, even across restarts. */
export interface AnswerStore {
  readonly find: (id: string) => CommandRecord;
  /** Writes the id to disk before the command has any effect. */
  readonly markStarted: (id: string) => void;
  /** Stores an answer. Does nothing after `close`: a command that ends later stays recorded as started. */
  readonly save: (id: string, answer: unknown) => void;
  readonly close: () => void;
}

/** Opens the answer store in `<folder>/answers.db`. */
export function openAnswerStore(folder: string): AnswerStore {
  // Loaded at run time: a static import of node:sqlite would crash an old Node before it can print which one it needs.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const path = join(folder, 'answers.db');
  const db = new DatabaseSync(path);
  chmodSync(path, 0o600);
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 2000');
  db.exec(
    'create table if not exists answer (turn integer primary key autoincrement, id text not null unique, answer text)',
  );
  const find = db.prepare('select answer from answer where id = ?');
  const insert = db.prepare('insert into answer (id) values (?) on conflict (id) do nothing');
  const save = db.prepare('update answer set answer = ? where id = ?');
  const removeOldest = db.prepare(
    `delete from answer where turn <= (select max(turn) from answer) - ${MAX_STORED_ANSWERS}`,
  );
  return {
    find: (id) => {
      const row = find.get(id);
      if (!row) return { kind: 'new' };
      const { answer } = row;
      return typeof answer === 'string' ? { kind: 'answered', answer: JSON.parse(answer) } : { kind: 'started' };
    },
    markStarted: (id) => {
      insert.run(id);
      removeOldest.run();
    },
    save: (id, answer) => {
      if (db.isOpen) save.run(JSON.stringify(answer), id);
    },
    close: () => db.close(),
  };
}

/** Answers are never uploaded, so none of them is unsent. */
export const answersAccountData: AccountData = {
  listUnsent: () => [],
  remove: (stateDir) => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(stateDir, `answers.db${suffix}`), { force: true });
  },
};

/** Commands that run or wait at the same time. */
const MAX_QUEUED_COMMANDS = 50;

export const AGENT_PAUSED_MESSAGE = 'The agent is paused on that computer. Resume it there';

const PAUSED_MEANWHILE_MESSAGE =
  'The agent was paused or ended on that computer meanwhile. Check what was done there, then try again';

export interface CommandAnswer {
  readonly message: string;
  readonly [field: string]: unknown;
}

export interface CommandQueueOptions {
  readonly handlers: readonly CommandHandler[];
  readonly answers: AnswerStore;
  /** The server's clock, in milliseconds since the epoch. */
  readonly serverNow: () => Promise<number>;
  /** Whether no command may run: the agent is paused or ends. */
  readonly isPaused: () => boolean;
  readonly print: (line: string) => void;
  /** Called when a step of a command is done, with the ids of all accepted commands that have no answer yet. */
  readonly onProgress: (ids: readonly string[]) => void;
}

/** A refusal from before the command had any effect, so that the same id may be sent again. */
class NotStartedRefusal extends Refusal {
  override readonly name = 'NotStartedRefusal';
}

/**
 * Creates a function that runs a received command and returns its answer. Commands run one at a time, never too late
 * and never twice.
 */
export function createCommandQueue(options: CommandQueueOptions): (raw: unknown) => Promise<CommandAnswer> {
  const { answers, print } = options;
  const handlers = new Map(options.handlers.map((handler) => [handler.command.name, handler]));
  const runningById = new Map<string, Promise<CommandAnswer>>();
  const enqueue = createSerialQueue();

  /** Time of the last progress of a command, on this computer's monotonic clock. */
  let progressAt = Number.NEGATIVE_INFINITY;

  async function isLate(sentAt: number): Promise<boolean> {
    const now = await options.serverNow().catch(() => Number.POSITIVE_INFINITY);
    return now - sentAt > MAX_COMMAND_AGE_MS;
  }
  /** A command that arrived in time is not late if it only waited for another one that made progress all the while. */
  async function refuseLate(sentAt: number, wasLate: Promise<boolean>): Promise<void> {
    if (!(await isLate(sentAt))) return;
    const hasStalled = performance.now() - progressAt > MAX_COMMAND_AGE_MS;
    if (hasStalled || (await wasLate)) throw new NotStartedRefusal('device.command_too_late', COMMAND_TOO_LATE_MESSAGE);
  }
  /** @throws Refusal if the agent was paused meanwhile, which ends the command. */
  function reportProgress(): void {
    if (options.isPaused()) throw new Refusal('agent.paused_meanwhile', PAUSED_MEANWHILE_MESSAGE);
    progressAt = performance.now();
    options.onProgress([...runningById.keys()]);
  }

  async function run({ name, data }: CommandEnvelope): Promise<CommandAnswer> {
    const handler = handlers.get(name);
    if (!handler)
      throw new Refusal(
        'agent.unsupported',
        `The agent on that computer does not support '${name.slice(0, 40)}'. Update it`,
      );
    const { command } = handler;
    const request = command.request.safeParse(data);
    if (!request.success)
      throw new Refusal(
        'agent.invalid_request',
        `The agent on that computer could not read the request '${name.slice(0, 40)}'. Update it`,
      );
    const answer = await handler.run(request.data as never, reportProgress);
    return { ...command.answer.parse(answer ?? {}), message: 'ok' };
  }

  function toAnswer(error: unknown, name: string): CommandAnswer {
    if (error instanceof Refusal) return { message: error.message, code: error.code };
    print(`'${name}' failed: ${error instanceof Error ? error.message : 'unknown error'}`);
    return { message: 'The agent failed. See its terminal on that computer for the reason' };
  }

  async function perform(envelope: CommandEnvelope, wasLate: Promise<boolean>): Promise<CommandAnswer> {
    const { id, name } = envelope;
    const isStored = handlers.get(name)?.command.isRepeatable !== true;
    try {
      if (options.isPaused()) throw new NotStartedRefusal('agent.paused', AGENT_PAUSED_MESSAGE);
      await refuseLate(envelope.sentAt, wasLate);
      if (isStored) answers.markStarted(id);
      const answer = await run(envelope);
      if (isStored) answers.save(id, answer);
      return answer;
    } catch (error) {
      const answer = toAnswer(error, name);
      if (isStored && !(error instanceof NotStartedRefusal)) answers.save(id, answer);
      return answer;
    }
  }

  return async (raw) => {
    const parsed = commandEnvelope.safeParse(raw);
    if (!parsed.success) return { message: 'The agent on that computer could not read the command. Update it' };
    const envelope = parsed.data;
    const alreadyRunning = runningById.get(envelope.id);
    if (alreadyRunning) return alreadyRunning;
    const record = answers.find(envelope.id);
    if (record.kind === 'answered') return record.answer as CommandAnswer;
    if (record.kind === 'started')
      return { message: 'The agent stopped before it had finished this. It will not be repeated' };
    if (runningById.size >= MAX_QUEUED_COMMANDS)
      return { message: 'That computer has too many pending commands. Try again in a moment' };
    const wasLate = isLate(envelope.sentAt);
    const running = enqueue(() => perform(envelope, wasLate));
    runningById.set(envelope.id, running);
    return running.finally(() => runningById.delete(envelope.id));
  };
}
