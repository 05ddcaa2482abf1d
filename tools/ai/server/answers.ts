import { hash } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import type { Room, Realtime } from '#platform/server/realtime/realtime.ts';
import type { Timers } from '#platform/server/schedule/timers.ts';
import { aidataend, type Answer, aidatain, aithoughtin, ANSWER_LIMIT } from '../contract.ts';
import {
  RESTARTED,
  STOPPED,
  type Outcome,
  getOutcome,
  TOO_LARGE,
  TOO_LONG,
  TOO_SLOW,
} from '../domain/answerOutcome.ts';
import { separateThoughts } from '../domain/thoughts.ts';
import type { StoredAnswer, AnswerStore } from './answerStore.ts';
import { type Model, ModelFailure } from './model.ts';

/**
 * Runs `act` immediately, then at most once per `ms`. Calls in between are combined into one at the end of that time.
 */
export function throttle(timers: Timers, ms: number, act: () => void) {
  let isPending = false;
  let cancel: (() => void) | undefined;
  const run = (): void => {
    isPending = false;
    cancel = timers.schedule(ms, () => {
      cancel = undefined;
      if (isPending) run();
    });
    act();
  };
  return {
    ask: (): void => {
      if (cancel === undefined) run();
      else isPending = true;
    },
    /** Cancels a pending run. */
    end: (): void => cancel?.(),
  };
}

/** The server may have to load a local model before the first chunk. */
export const FIRST_PIECE_MS = 2 * MINUTE_MS;
export const NEXT_PIECE_MS = 30_000;
export const WHOLE_ANSWER_MS = 10 * MINUTE_MS;
export const SEND_INTERVAL_MS = 50;
/**
 * Rows are written less often than chunks are sent: each write has the whole text and waits for the disk. Lists read
 * running answers from memory.
 */
export const WRITE_INTERVAL_MS = 1000;

export interface AnsweringDeps {
  readonly realtime: Realtime;
  readonly store: AnswerStore;
  readonly model: Model;
  readonly timers: Timers;
  readonly log: FastifyBaseLogger;
}

/** Returns whether a text ends with half of a surrogate pair. The other half is in the next chunk. */
const isHalf = (text: string): boolean => /[\ud800-\udbff]$/.test(text);

/** Creates one answer, which streams into its room and its row. */
export function createAnswering(
  { realtime, store, model, timers, log }: AnsweringDeps,
  { id, room, prompt }: { readonly id: number; readonly room: Room; readonly prompt: string },
) {
  const control = new AbortController();
  const output = { text: '', thoughts: '' };
  const sent = { text: 0, thoughts: 0 };
  let written: Promise<void> = Promise.resolve();

  const sendPart = (part: keyof typeof output): void => {
    const text = output[part];
    const at = sent[part];
    const end = text.length - (isHalf(text) ? 1 : 0);
    if (end <= at) return;
    const event = part === 'text' ? aidatain : aithoughtin;
    realtime.send(room, event, { data: text.slice(at, end), answerid: id, at });
    sent[part] = end;
  };
  const send = (): void => {
    sendPart('thoughts');
    sendPart('text');
  };
  const write = (): void => {
    written = written
      .then(() =>
        store.write(id, {
          text: replaceUnstorable(output.text),
          thoughts: replaceUnstorable(output.thoughts),
          state: 'running',
          error: undefined,
        }),
      )
      .catch((error: unknown) => log.error({ err: error, answer: id }, 'ai.answer.unsaved'));
  };
  const chunks = throttle(timers, SEND_INTERVAL_MS, send);
  const rows = throttle(timers, WRITE_INTERVAL_MS, write);

  /** Ends the answer from outside. The first reason counts. */
  const end = (why: Outcome): void => control.abort(why);

  const add = (part: keyof typeof output, more: string): void => {
    const remaining = ANSWER_LIMIT - output[part].length;
    output[part] += more.slice(0, remaining).replaceAll('\0', '\u{fffd}');
    // Reasoning over the limit is dropped, because the answer may still follow.
    if (part === 'text' && more.length > remaining) end(TOO_LARGE);
    if (more === '') return;
    chunks.ask();
    rows.ask();
  };

  const listen = async (): Promise<Outcome> => {
    let cancelTimeout = timers.schedule(FIRST_PIECE_MS, () => end(TOO_SLOW));
    const cancelTotalTimeout = timers.schedule(WHOLE_ANSWER_MS, () => end(TOO_LONG));
    let reason: string | undefined;
    try {
      for await (const part of model.ask(prompt, control.signal)) {
        cancelTimeout();
        cancelTimeout = timers.schedule(NEXT_PIECE_MS, () => end(TOO_SLOW));
        if (part.kind === 'text' || part.kind === 'thoughts') add(part.kind, part.text);
        if (part.kind === 'end') reason = part.reason;
        if (control.signal.aborted) break;
      }
    } finally {
      cancelTimeout();
      cancelTotalTimeout();
    }
    return getOutcome(reason, separateThoughts(output.text).text);
  };

  return {
    end,
    written: (): Readonly<typeof output> => output,
    /** Settles when all chunks are sent and all writes have ended. */
    run: async (): Promise<Outcome> => {
      let outcome: Outcome;
      try {
        outcome = await listen();
      } catch (error) {
        if (!(error instanceof ModelFailure)) throw error;
        log.warn({ answer: id, code: error.code }, 'ai.server.failed');
        outcome = { state: 'failed', error: error.message };
      } finally {
        chunks.end();
        rows.end();
      }
      output.text = output.text.toWellFormed();
      output.thoughts = output.thoughts.toWellFormed();
      send();
      await written;
      return control.signal.aborted ? (control.signal.reason as Outcome) : outcome;
    },
  };
}

export const RUNNING_PER_ROOM = 3;
export const MAX_CONCURRENT_ANSWERS = 4;
/** Max queued questions of all rooms. */
export const MAX_QUEUED_QUESTIONS = 20;

interface AnswersDeps extends Omit<AnsweringDeps, 'model'> {
  /** Undefined if no AI server is set up. */
  readonly model: Model | undefined;
  readonly now: () => Temporal.Instant;
}

/** A question, until its answer has ended and is written. */
interface Job {
  readonly room: Room;
  readonly id: number;
  readonly answering: ReturnType<typeof createAnswering>;
  outcome: Outcome | undefined;
}

const NOT_SET_UP = 'This server has no AI. Ask the owner of this server to set one up';

/** Hashes a room, so that rows don't reveal whose browser it was. */
const getKey = (room: Room): string => hash('sha256', room, 'base64url').slice(0, 22);

/** Creates the service for all answers: running, queued and stored ones. */
export function createAnswers(context: AnswersDeps) {
  const { store, realtime, log, now, model } = context;
  const jobs = new Map<number, Job>();
  const waiting: Job[] = [];
  const tasks = new Set<Promise<void>>();
  /** Questions by room whose row is being inserted. */
  const pendingInserts = new Map<Room, number>();
  let active = 0;
  let isClosing = false;

  const countPending = (room: Room, change: number): void =>
    void pendingInserts.set(room, (pendingInserts.get(room) ?? 0) + change);

  /**
   * Checks the limits of open questions.
   * @throws Refusal if this room or all rooms together have too many.
   */
  const admit = (room: Room): void => {
    const open = [...jobs.values()].filter(({ outcome }) => outcome === undefined);
    const all = [...pendingInserts.values()].reduce((sum, one) => sum + one, open.length);
    const own = (pendingInserts.get(room) ?? 0) + open.filter((job) => job.room === room).length;
    if (isClosing) throw new Refusal('ai.server_restarted', RESTARTED.error ?? '');
    if (own >= RUNNING_PER_ROOM)
      throw new Refusal(
        'ai.too_many_running',
        `${RUNNING_PER_ROOM} answers are still running here. Wait for one to finish, or stop it`,
      );
    if (all >= MAX_CONCURRENT_ANSWERS + MAX_QUEUED_QUESTIONS)
      throw new Refusal('ai.queue_full', 'Too many prompts are waiting. Try again in a moment');
  };

  const close = async (job: Job, outcome: Outcome): Promise<void> => {
    job.outcome = outcome;
    const { state, error } = outcome;
    const { text, thoughts } = job.answering.written();
    await store.write(job.id, { text: replaceUnstorable(text), thoughts: replaceUnstorable(thoughts), state, error });
    realtime.send(job.room, aidataend, { answerid: job.id, ...outcome });
  };

  const work = (job: Job, activity: () => Promise<Outcome>, after: () => void): void => {
    const task: Promise<void> = activity()
      .finally(after)
      .then((outcome) => close(job, outcome))
      .catch(async (error: unknown) => {
        log.error({ err: error, answer: job.id }, 'ai.answer.failed');
        await close(job, { state: 'failed', error: 'server error' });
      })
      .then(async () => store.trim(getKey(job.room)))
      // If the row still says that it runs, the next start of the server ends it.
      .catch((error: unknown) => log.error({ err: error, answer: job.id }, 'ai.answer.end_unsaved'))
      .finally(() => {
        jobs.delete(job.id);
        tasks.delete(task);
      });
    tasks.add(task);
  };

  const startNext = (): void => {
    if (active >= MAX_CONCURRENT_ANSWERS) return;
    const job = waiting.shift();
    if (job === undefined) return;
    active += 1;
    work(job, job.answering.run, () => {
      active -= 1;
      startNext();
    });
  };

  /** Ends a job, whether it runs or is queued. */
  const end = (job: Job, why: Outcome): void => {
    const index = waiting.indexOf(job);
    if (index === -1) return job.answering.end(why);
    waiting.splice(index, 1);
    return work(
      job,
      async () => why,
      () => undefined,
    );
  };

  const toAnswer = ({ id, created, ...stored }: StoredAnswer, job: Job | undefined): Answer => {
    const { text, thoughts } = job?.answering.written() ?? stored;
    const { state, error } = job?.outcome ?? (job ? { state: 'running', error: undefined } : stored);
    return {
      answerid: id,
      prompt: stored.prompt,
      text,
      ...(thoughts === '' ? {} : { thoughts }),
      state,
      ...(error === undefined ? {} : { error }),
      waiting: job !== undefined && waiting.includes(job),
      created: created.toString(),
    };
  };

  return {
    isConfigured: model !== undefined,
    /**
     * Accepts a question; `waiting` others are answered first.
     * @throws Refusal if there are too many.
     */
    ask: async (room: Room, typedPrompt: string): Promise<{ readonly answerid: number; readonly waiting: number }> => {
      if (model === undefined) throw new Refusal('ai.not_configured', NOT_SET_UP);
      admit(room);
      const prompt = replaceUnstorable(typedPrompt);
      countPending(room, 1);
      const id = await store.begin(getKey(room), prompt, now()).finally(() => {
        countPending(room, -1);
        if (pendingInserts.get(room) === 0) pendingInserts.delete(room);
      });
      const job: Job = {
        room,
        id,
        outcome: undefined,
        answering: createAnswering({ ...context, model }, { id, room, prompt }),
      };
      jobs.set(id, job);
      waiting.push(job);
      startNext();
      return { answerid: id, waiting: waiting.indexOf(job) + 1 };
    },
    /**
     * Stops an answer.
     * @throws Refusal if it does not run in this room.
     */
    stop: (room: Room, id: number): void => {
      const job = jobs.get(id);
      if (job?.room !== room || job.outcome !== undefined)
        throw new Refusal('ai.answer_not_running', 'This answer is no longer running');
      end(job, STOPPED);
    },
    /** Lists the newest answers of a room with their current state, oldest first. */
    list: async (room: Room, onlyRunning: boolean): Promise<Answer[]> => {
      // An answer that ends while the rows are read is listed as ended.
      const before = new Map(jobs);
      const stored =
        onlyRunning && ![...jobs.values()].some((job) => job.room === room) ? [] : await store.listNewest(getKey(room));
      const answers = stored.map((answer) => toAnswer(answer, before.get(answer.id) ?? jobs.get(answer.id)));
      return onlyRunning ? answers.filter(({ state }) => state === 'running') : answers;
    },
    /** Ends all running and queued jobs. */
    close: async (): Promise<void> => {
      isClosing = true;
      for (const job of jobs.values()) if (job.outcome === undefined) end(job, RESTARTED);
      await Promise.all(tasks);
    },
  };
}

export type Answers = ReturnType<typeof createAnswers>;
