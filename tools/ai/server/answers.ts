import { hash } from 'node:crypto';
import { Refusal } from '#platform/contract/refusal.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import type { Room } from '#platform/server/realtime/realtime.ts';
import { aidataend, type Answer } from '../contract.ts';
import { RESTARTED, STOPPED, type Outcome } from '../domain/answerOutcome.ts';
import { createAnswering, type AnsweringDeps } from './answering.ts';
import type { KeptAnswer } from './answerStore.ts';
import type { Model } from './model.ts';

export const RUNNING_PER_ROOM = 3;
export const MAX_CONCURRENT_ANSWERS = 4;
/** Questions that wait for their turn, of all rooms. */
export const MAX_QUEUED_QUESTIONS = 20;

interface AnswersDeps extends Omit<AnsweringDeps, 'model'> {
  /** Undefined where the server has no AI to ask. */
  readonly model: Model | undefined;
  readonly now: () => Temporal.Instant;
}

/** A question until its answer has ended and is written. */
interface Job {
  readonly room: Room;
  readonly id: number;
  readonly answering: ReturnType<typeof createAnswering>;
  outcome: Outcome | undefined;
}

const NOT_SET_UP = 'This server has no AI to ask: its operator sets AI_BASE_URL and AI_MODEL, as docs/ai.md says';

/** Rows do not say whose browser asked. */
const keyOf = (room: Room): string => hash('sha256', room, 'base64url').slice(0, 22);

/** All answers of the server: those that run, those that wait, and those that are kept. */
export const createAnswers = (ground: AnswersDeps) => {
  const { store, realtime, log, now, model } = ground;
  const jobs = new Map<number, Job>();
  const waiting: Job[] = [];
  const working = new Set<Promise<void>>();
  /** Questions whose row is being made. */
  const coming = new Map<Room, number>();
  let active = 0;
  let isClosing = false;

  const comingIn = (room: Room, change: number): void => void coming.set(room, (coming.get(room) ?? 0) + change);

  /** @throws Refusal where this room, or all together, have asked enough for now. */
  const admit = (room: Room): void => {
    const open = [...jobs.values()].filter(({ outcome }) => outcome === undefined);
    const all = [...coming.values()].reduce((sum, one) => sum + one, open.length);
    const own = (coming.get(room) ?? 0) + open.filter((job) => job.room === room).length;
    if (isClosing) throw new Refusal(RESTARTED.error ?? '');
    if (own >= RUNNING_PER_ROOM)
      throw new Refusal(`${RUNNING_PER_ROOM} answers are still running here; wait for one to end, or stop it`);
    if (all >= MAX_CONCURRENT_ANSWERS + MAX_QUEUED_QUESTIONS)
      throw new Refusal(`${MAX_QUEUED_QUESTIONS} questions are waiting for their turn already; try again in a moment`);
  };

  const close = async (job: Job, outcome: Outcome): Promise<void> => {
    job.outcome = outcome;
    const { state, error } = outcome;
    const { text, thoughts } = job.answering.written();
    await store.write(job.id, { text: replaceUnstorable(text), thoughts: replaceUnstorable(thoughts), state, error });
    realtime.send(job.room, aidataend, { answerid: job.id, ...outcome });
  };

  const work = (job: Job, doing: () => Promise<Outcome>, after: () => void): void => {
    const done: Promise<void> = doing()
      .finally(after)
      .then((outcome) => close(job, outcome))
      .catch(async (error: unknown) => {
        log.error({ err: error, answer: job.id }, 'answer failed');
        await close(job, { state: 'failed', error: 'server error' });
      })
      .then(async () => store.trim(keyOf(job.room)))
      // A row that still says that it is running is ended by the next start.
      .catch((error: unknown) => log.error({ err: error, answer: job.id }, 'end of an answer not written'))
      .finally(() => {
        jobs.delete(job.id);
        working.delete(done);
      });
    working.add(done);
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

  /** Ends a job, whether it runs or waits. */
  const end = (job: Job, why: Outcome): void => {
    const place = waiting.indexOf(job);
    if (place === -1) return job.answering.end(why);
    waiting.splice(place, 1);
    return work(
      job,
      async () => why,
      () => undefined,
    );
  };

  const toldOf = ({ id, created, ...kept }: KeptAnswer, job: Job | undefined): Answer => {
    const { text, thoughts } = job?.answering.written() ?? kept;
    const { state, error } = job?.outcome ?? (job ? { state: 'running', error: undefined } : kept);
    return {
      answerid: id,
      prompt: kept.prompt,
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
    /** Takes a question in. `waiting` others are answered before it. @throws Refusal where there are too many. */
    ask: async (room: Room, asked: string): Promise<{ readonly answerid: number; readonly waiting: number }> => {
      if (model === undefined) throw new Refusal(NOT_SET_UP);
      admit(room);
      const prompt = replaceUnstorable(asked);
      comingIn(room, 1);
      const id = await store.begin(keyOf(room), prompt, now()).finally(() => {
        comingIn(room, -1);
        if (coming.get(room) === 0) coming.delete(room);
      });
      const job: Job = {
        room,
        id,
        outcome: undefined,
        answering: createAnswering({ ...ground, model }, { id, room, prompt }),
      };
      jobs.set(id, job);
      waiting.push(job);
      startNext();
      return { answerid: id, waiting: waiting.indexOf(job) + 1 };
    },
    /** @throws Refusal where that answer is not running in this room. */
    stop: (room: Room, id: number): void => {
      const job = jobs.get(id);
      if (job?.room !== room || job.outcome !== undefined) throw new Refusal('That answer is not running');
      end(job, STOPPED);
    },
    /** The newest of a room, oldest first, as they stand. */
    told: async (room: Room, onlyRunning: boolean): Promise<Answer[]> => {
      // One that ends while the rows are read is told as it ended.
      const before = new Map(jobs);
      const kept =
        onlyRunning && ![...jobs.values()].some((job) => job.room === room) ? [] : await store.newest(keyOf(room));
      const told = kept.map((answer) => toldOf(answer, before.get(answer.id) ?? jobs.get(answer.id)));
      return onlyRunning ? told.filter(({ state }) => state === 'running') : told;
    },
    /** Ends everything that runs or waits. */
    close: async (): Promise<void> => {
      isClosing = true;
      for (const job of jobs.values()) if (job.outcome === undefined) end(job, RESTARTED);
      await Promise.all(working);
    },
  };
};

export type Answers = ReturnType<typeof createAnswers>;
