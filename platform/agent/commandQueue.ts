import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  COMMAND_TOO_LATE_MESSAGE,
  MAX_COMMAND_AGE_MS,
  commandEnvelope,
  type CommandEnvelope,
} from '#platform/contract/command.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { AccountData } from './pairedAccount.ts';
import type { CommandHandler } from './tool.ts';

/** Of so many commands the answers are kept. */
const MAX_STORED_ANSWERS = 256;

/** What is known of a command's id: nothing, that it was begun and never ended, or its answer. */
export type CommandRecord =
  | { readonly kind: 'new' }
  | { readonly kind: 'begun' }
  | { readonly kind: 'answered'; readonly answer: unknown };

/** Which commands were done, so that nothing is done twice, across restarts too. */
export interface AnswerStore {
  readonly find: (id: string) => CommandRecord;
  /** On the disk before anything is typed. */
  readonly begin: (id: string) => void;
  /** Nothing happens once it is closed: what ends behind its agent stays known as begun. */
  readonly save: (id: string, answer: unknown) => void;
  readonly close: () => void;
}

/** Keeps the answers in `<folder>/answers.db`. */
export function openAnswerStore(folder: string): AnswerStore {
  // Asked for at run time: an import of node:sqlite would stop an old Node before it is told which one it needs.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const path = join(folder, 'answers.db');
  const db = new DatabaseSync(path);
  chmodSync(path, 0o600);
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 2000');
  db.exec(
    'create table if not exists answer (turn integer primary key autoincrement, id text not null unique, answer text)',
  );
  const find = db.prepare('select answer from answer where id = ?');
  const begin = db.prepare('insert into answer (id) values (?) on conflict (id) do nothing');
  const keep = db.prepare('update answer set answer = ? where id = ?');
  const sweep = db.prepare(`delete from answer where turn <= (select max(turn) from answer) - ${MAX_STORED_ANSWERS}`);
  return {
    find: (id) => {
      const row = find.get(id);
      if (!row) return { kind: 'new' };
      const { answer } = row;
      return typeof answer === 'string' ? { kind: 'answered', answer: JSON.parse(answer) } : { kind: 'begun' };
    },
    begin: (id) => {
      begin.run(id);
      sweep.run();
    },
    save: (id, answer) => {
      if (db.isOpen) keep.run(JSON.stringify(answer), id);
    },
    close: () => db.close(),
  };
}

/** None of them waits for anything. */
export const answersAccountData: AccountData = {
  listUnsent: () => [],
  remove: (stateDir) => {
    for (const end of ['', '-wal', '-shm']) rmSync(join(stateDir, `answers.db${end}`), { force: true });
  },
};

/** What waits at most. */
const MAX_QUEUED_COMMANDS = 50;

export const AGENT_PAUSED_MESSAGE = 'The agent is paused on that computer';

export interface CommandAnswer {
  readonly message: string;
  readonly [field: string]: unknown;
}

export interface CommandQueueOptions {
  readonly handlers: readonly CommandHandler[];
  readonly answers: AnswerStore;
  /** The server's clock, in milliseconds since the epoch. */
  readonly serverNow: () => Promise<number>;
  readonly isPaused: () => boolean;
  readonly print: (line: string) => void;
  /** A part of a command is done: these have been taken and have no answer yet. */
  readonly onProgress: (ids: readonly string[]) => void;
}

/** Refused before anything was done, so that it may be asked again. */
class NotStartedRefusal extends Refusal {
  override readonly name = 'NotBegun';
}

/** Takes a command as it came and gives its answer: one after another, none too late, none twice. */
export function createCommandQueue(options: CommandQueueOptions): (raw: unknown) => Promise<CommandAnswer> {
  const { answers, print } = options;
  const handlers = new Map(options.handlers.map((handler) => [handler.command.name, handler]));
  const underWay = new Map<string, Promise<CommandAnswer>>();
  let last: Promise<unknown> = Promise.resolve();

  /** When a part of a command was done last, by this computer's steady clock. */
  let progressAt = Number.NEGATIVE_INFINITY;

  const isLate = async (sentAt: number): Promise<boolean> => {
    const now = await options.serverNow().catch(() => Number.POSITIVE_INFINITY);
    return now - sentAt > MAX_COMMAND_AGE_MS;
  };
  /** One that came in time and waited behind another that went on all the while is not late. */
  const refuseLate = async (sentAt: number, wasLate: Promise<boolean>): Promise<void> => {
    if (!(await isLate(sentAt))) return;
    const hasStalled = performance.now() - progressAt > MAX_COMMAND_AGE_MS;
    if (hasStalled || (await wasLate)) throw new NotStartedRefusal(COMMAND_TOO_LATE_MESSAGE);
  };
  const reportProgress = (): void => {
    progressAt = performance.now();
    options.onProgress([...underWay.keys()]);
  };

  const run = async ({ name, data }: CommandEnvelope): Promise<CommandAnswer> => {
    const handler = handlers.get(name);
    if (!handler) throw new Refusal(`This agent does not know '${name.slice(0, 40)}'; it may be too old`);
    const { command } = handler;
    const request = command.request.safeParse(data);
    if (!request.success) throw new Refusal(`The agent did not understand '${name.slice(0, 40)}'`);
    const answer = await handler.run(request.data as never, reportProgress);
    return { ...command.answer.parse(answer), message: 'ok' };
  };

  const toAnswer = (error: unknown, name: string): CommandAnswer => {
    if (error instanceof Refusal) return { message: error.message };
    print(`'${name}' failed: ${error instanceof Error ? error.message : 'unknown error'}`);
    return { message: 'The agent failed; its terminal says why' };
  };

  const perform = async (envelope: CommandEnvelope, wasLate: Promise<boolean>): Promise<CommandAnswer> => {
    const { id, name } = envelope;
    const isKept = handlers.get(name)?.command.isRepeatable !== true;
    try {
      if (options.isPaused()) throw new NotStartedRefusal(AGENT_PAUSED_MESSAGE);
      await refuseLate(envelope.sentAt, wasLate);
      if (isKept) answers.begin(id);
      const answer = await run(envelope);
      if (isKept) answers.save(id, answer);
      return answer;
    } catch (error) {
      const answer = toAnswer(error, name);
      if (isKept && !(error instanceof NotStartedRefusal)) answers.save(id, answer);
      return answer;
    }
  };

  return async (raw) => {
    const parsed = commandEnvelope.safeParse(raw);
    if (!parsed.success) return { message: 'The agent did not understand the command' };
    const envelope = parsed.data;
    const running = underWay.get(envelope.id);
    if (running) return running;
    const known = answers.find(envelope.id);
    if (known.kind === 'answered') return known.answer as CommandAnswer;
    if (known.kind === 'begun') return { message: 'The agent stopped while it was doing this; it is not done again' };
    if (underWay.size >= MAX_QUEUED_COMMANDS) return { message: 'Too much waits for that computer already' };
    const wasLate = isLate(envelope.sentAt);
    const own = last.then(() => perform(envelope, wasLate));
    last = own;
    underWay.set(envelope.id, own);
    return own.finally(() => underWay.delete(envelope.id));
  };
}
