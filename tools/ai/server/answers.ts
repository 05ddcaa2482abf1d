import { hash } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import { loneCluster, type Cluster } from '#platform/server/cluster/cluster.ts';
import { createReplicatedMap } from '#platform/server/cluster/replicatedMap.ts';
import type { Room, Realtime } from '#platform/server/realtime/realtime.ts';
import type { Timers } from '#platform/server/schedule/timers.ts';
import { aidataend, type Answer, aidatain, aithoughtin, MAX_ANSWER_LENGTH } from '../contract.ts';
import {
  RESTARTED,
  STOPPED,
  type AnswerOutcome,
  getOutcome,
  TOO_LARGE,
  TOO_LONG,
  TOO_SLOW,
} from '../domain/answerOutcome.ts';
import { separateThoughts } from '../domain/thoughts.ts';
import type { StoredAnswer, AnswerStore } from './answerStore.ts';
import { type Model, ModelFailure } from './model.ts';

/** Calls back immediately, then at most once per `ms`. Requests in between are combined into one call. */
export function createThrottle(timers: Timers, ms: number, callback: () => void) {
  let isPending = false;
  let cancel: (() => void) | undefined;
  function run(): void {
    isPending = false;
    cancel = timers.schedule(ms, () => {
      cancel = undefined;
      if (isPending) run();
    });
    callback();
  }
  return {
    request: (): void => {
      if (cancel === undefined) run();
      else isPending = true;
    },
    /** Cancels a pending run. */
    cancel: (): void => cancel?.(),
  };
}

/** The server may have to load a local model before the first chunk. */
export const FIRST_CHUNK_TIMEOUT_MS = 2 * MINUTE_MS;
export const CHUNK_TIMEOUT_MS = 30_000;
export const ANSWER_TIMEOUT_MS = 10 * MINUTE_MS;
export const SEND_INTERVAL_MS = 50;
/** Longer than the send interval, because each write has the whole text. Lists read running answers from memory. */
export const WRITE_INTERVAL_MS = 1000;

export interface AnswerStreamDeps {
  readonly realtime: Realtime;
  readonly store: AnswerStore;
  readonly model: Model;
  readonly timers: Timers;
  readonly log: FastifyBaseLogger;
}

/** Returns whether a text ends with half of a surrogate pair, whose other half is in the next chunk. */
const endsWithHalfPair = (text: string): boolean => /[\ud800-\udbff]$/.test(text);

/** Streams one answer to its room and its row. */
export function createAnswerStream(
  { realtime, store, model, timers, log }: AnswerStreamDeps,
  { id, room, prompt }: { readonly id: number; readonly room: Room; readonly prompt: string },
) {
  const abortController = new AbortController();
  const output = { text: '', thoughts: '' };
  const sentLengths = { text: 0, thoughts: 0 };
  let pendingWrite: Promise<void> = Promise.resolve();

  function sendPart(part: keyof typeof output): void {
    const text = output[part];
    const at = sentLengths[part];
    const end = text.length - (endsWithHalfPair(text) ? 1 : 0);
    if (end <= at) return;
    const event = part === 'text' ? aidatain : aithoughtin;
    realtime.send(room, event, { data: text.slice(at, end), answerid: id, at });
    sentLengths[part] = end;
  }
  function send(): void {
    sendPart('thoughts');
    sendPart('text');
  }
  function write(): void {
    pendingWrite = pendingWrite
      .then(() =>
        store.update(id, {
          text: replaceUnstorable(output.text),
          thoughts: replaceUnstorable(output.thoughts),
          state: 'running',
          error: undefined,
        }),
      )
      .catch((error: unknown) => log.error({ err: error, answer: id }, 'ai.answer.unsaved'));
  }
  const sendThrottle = createThrottle(timers, SEND_INTERVAL_MS, send);
  const writeThrottle = createThrottle(timers, WRITE_INTERVAL_MS, write);

  /** Ends the answer early. The first outcome counts. */
  const end = (outcome: AnswerOutcome): void => abortController.abort(outcome);

  function add(part: keyof typeof output, chunk: string): void {
    const remaining = MAX_ANSWER_LENGTH - output[part].length;
    output[part] += chunk.slice(0, remaining).replaceAll('\0', '\u{fffd}');
    // Reasoning over the limit is ignored, because the answer may still follow.
    if (part === 'text' && chunk.length > remaining) end(TOO_LARGE);
    if (chunk === '') return;
    sendThrottle.request();
    writeThrottle.request();
  }

  async function streamAnswer(): Promise<AnswerOutcome> {
    let cancelTimeout = timers.schedule(FIRST_CHUNK_TIMEOUT_MS, () => end(TOO_SLOW));
    const cancelTotalTimeout = timers.schedule(ANSWER_TIMEOUT_MS, () => end(TOO_LONG));
    let reason: string | undefined;
    try {
      for await (const part of model.ask(prompt, abortController.signal)) {
        cancelTimeout();
        cancelTimeout = timers.schedule(CHUNK_TIMEOUT_MS, () => end(TOO_SLOW));
        if (part.kind === 'text' || part.kind === 'thoughts') add(part.kind, part.text);
        if (part.kind === 'end') reason = part.reason;
        if (abortController.signal.aborted) break;
      }
    } finally {
      cancelTimeout();
      cancelTotalTimeout();
    }
    return getOutcome(reason, separateThoughts(output.text).text);
  }

  return {
    end,
    getOutput: (): Readonly<typeof output> => output,
    /** Settles when all chunks are sent and all writes have ended. */
    run: async (): Promise<AnswerOutcome> => {
      let outcome: AnswerOutcome;
      try {
        outcome = await streamAnswer();
      } catch (error) {
        if (!(error instanceof ModelFailure)) throw error;
        log.warn({ answer: id, code: error.code }, 'ai.server.failed');
        outcome = { state: 'failed', error: error.message };
      } finally {
        sendThrottle.cancel();
        writeThrottle.cancel();
      }
      output.text = output.text.toWellFormed();
      output.thoughts = output.thoughts.toWellFormed();
      send();
      await pendingWrite;
      return abortController.signal.aborted ? (abortController.signal.reason as AnswerOutcome) : outcome;
    },
  };
}

export const MAX_RUNNING_PER_ROOM = 3;
export const MAX_CONCURRENT_ANSWERS = 4;
/** Of all rooms together, at one instance. */
export const MAX_QUEUED_QUESTIONS = 20;

interface AnswersDeps extends Omit<AnswerStreamDeps, 'model'> {
  /** Undefined if no AI server is set up. */
  readonly model: Model | undefined;
  readonly now: () => Temporal.Instant;
  readonly cluster?: Cluster;
}

/** A question, until its answer has ended and is stored. */
interface Job {
  readonly room: Room;
  readonly id: number;
  readonly stream: ReturnType<typeof createAnswerStream>;
  outcome: AnswerOutcome | undefined;
}

const NOT_CONFIGURED_MESSAGE = 'This server has no AI. Ask the owner of this server to set one up';

/** Hashes a room, so that rows do not reveal the browser. */
const hashRoom = (room: Room): string => hash('sha256', room, 'base64url').slice(0, 22);

/** Creates the service for running, queued and stored answers. */
export function createAnswers(context: AnswersDeps) {
  const { store, realtime, log, now, model, cluster = loneCluster } = context;
  const jobs = new Map<number, Job>();
  /** Rooms of the open questions of all instances. */
  const openRooms = createReplicatedMap<Room>(cluster, 'ai questions');
  const queue: Job[] = [];
  const tasks = new Set<Promise<void>>();
  /** Number of questions whose row is being inserted. */
  const pendingInsertsByRoom = new Map<Room, number>();
  let activeCount = 0;
  let isClosing = false;

  const changePendingInserts = (room: Room, change: number): void =>
    void pendingInsertsByRoom.set(room, (pendingInsertsByRoom.get(room) ?? 0) + change);

  /** @throws Refusal if this room or all rooms together have too many open questions. */
  function requireCapacity(room: Room): void {
    const openCount = [...jobs.values()].filter(({ outcome }) => outcome === undefined).length;
    const totalCount = [...pendingInsertsByRoom.values()].reduce((sum, count) => sum + count, openCount);
    const roomCount =
      (pendingInsertsByRoom.get(room) ?? 0) + [...openRooms.values()].filter((other) => other === room).length;
    if (isClosing) throw new Refusal('ai.server_restarted', RESTARTED.error ?? '');
    if (roomCount >= MAX_RUNNING_PER_ROOM)
      throw new Refusal(
        'ai.too_many_running',
        `${MAX_RUNNING_PER_ROOM} answers are still running here. Wait for one to finish, or stop it`,
      );
    if (totalCount >= MAX_CONCURRENT_ANSWERS + MAX_QUEUED_QUESTIONS)
      throw new Refusal('ai.queue_full', 'Too many prompts are waiting. Try again in a moment');
  }

  async function finish(job: Job, outcome: AnswerOutcome): Promise<void> {
    job.outcome = outcome;
    openRooms.delete(job.id);
    const { state, error } = outcome;
    const { text, thoughts } = job.stream.getOutput();
    await store.update(job.id, { text: replaceUnstorable(text), thoughts: replaceUnstorable(thoughts), state, error });
    realtime.send(job.room, aidataend, { answerid: job.id, ...outcome });
  }

  function runJob(job: Job, run: () => Promise<AnswerOutcome>, onSettled: () => void): void {
    const task: Promise<void> = run()
      .finally(onSettled)
      .then((outcome) => finish(job, outcome))
      .catch(async (error: unknown) => {
        log.error({ err: error, answer: job.id }, 'ai.answer.failed');
        await finish(job, { state: 'failed', error: 'server error' });
      })
      .then(async () => store.removeUnlisted(hashRoom(job.room)))
      // If the row is still running, the next start of the server ends it.
      .catch((error: unknown) => log.error({ err: error, answer: job.id }, 'ai.answer.end_unsaved'))
      .finally(() => {
        jobs.delete(job.id);
        tasks.delete(task);
      });
    tasks.add(task);
  }

  function startNext(): void {
    if (activeCount >= MAX_CONCURRENT_ANSWERS) return;
    const job = queue.shift();
    if (job === undefined) return;
    activeCount += 1;
    runJob(job, job.stream.run, () => {
      activeCount -= 1;
      startNext();
    });
  }

  /** Ends a running or queued job. */
  function end(job: Job, outcome: AnswerOutcome): void {
    const index = queue.indexOf(job);
    if (index === -1) return job.stream.end(outcome);
    queue.splice(index, 1);
    return runJob(
      job,
      async () => outcome,
      () => undefined,
    );
  }

  function toAnswer({ id, created, ...row }: StoredAnswer, job: Job | undefined): Answer {
    const { text, thoughts } = job?.stream.getOutput() ?? row;
    const { state, error } = job?.outcome ?? (job ? { state: 'running', error: undefined } : row);
    return {
      answerid: id,
      prompt: row.prompt,
      text,
      ...(thoughts === '' ? {} : { thoughts }),
      state,
      ...(error === undefined ? {} : { error }),
      waiting: job !== undefined && queue.includes(job),
      created: created.toString(),
    };
  }

  /** Stops an answer of this instance. Returns false if it does not run in this room. */
  function stopHere(room: Room, id: number): boolean {
    const job = jobs.get(id);
    if (job?.room !== room || job.outcome !== undefined) return false;
    end(job, STOPPED);
    return true;
  }
  cluster.subscribe('ai.stop', ({ room, id }: { readonly room: Room; readonly id: number }) => {
    stopHere(room, id);
  });

  return {
    isConfigured: model !== undefined,
    /**
     * Accepts a question; `waiting` others are answered first.
     * @throws Refusal if there are too many.
     */
    ask: async (room: Room, typedPrompt: string): Promise<{ readonly answerid: number; readonly waiting: number }> => {
      if (model === undefined) throw new Refusal('ai.not_configured', NOT_CONFIGURED_MESSAGE);
      requireCapacity(room);
      const prompt = replaceUnstorable(typedPrompt);
      changePendingInserts(room, 1);
      const id = await store.insert(hashRoom(room), prompt, now()).finally(() => {
        changePendingInserts(room, -1);
        if (pendingInsertsByRoom.get(room) === 0) pendingInsertsByRoom.delete(room);
      });
      const job: Job = {
        room,
        id,
        outcome: undefined,
        stream: createAnswerStream({ ...context, model }, { id, room, prompt }),
      };
      jobs.set(id, job);
      openRooms.set(id, room);
      queue.push(job);
      startNext();
      return { answerid: id, waiting: queue.indexOf(job) + 1 };
    },
    /**
     * Stops an answer.
     * @throws Refusal if it does not run in this room.
     */
    stop: async (room: Room, id: number): Promise<void> => {
      if (stopHere(room, id)) return;
      const stored = cluster.isShared ? await store.listNewest(hashRoom(room)) : [];
      if (!stored.some((answer) => answer.id === id && answer.state === 'running'))
        throw new Refusal('ai.answer_not_running', 'This answer is no longer running');
      cluster.publish('ai.stop', { room, id });
    },
    /** Lists the newest answers of a room with their current state, oldest first. */
    list: async (room: Room, onlyRunning: boolean): Promise<Answer[]> => {
      // An answer that ends while the rows are read is listed as ended.
      const jobsBefore = new Map(jobs);
      const stored =
        onlyRunning && !cluster.isShared && ![...jobs.values()].some((job) => job.room === room)
          ? []
          : await store.listNewest(hashRoom(room));
      const answers = stored.map((answer) => toAnswer(answer, jobsBefore.get(answer.id) ?? jobs.get(answer.id)));
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
