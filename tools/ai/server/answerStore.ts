import type { Generated } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import { MAX_RECENT_ANSWERS, type AnswerState } from '../contract.ts';

/** Answers are removed when they are older. */
export const RETENTION_DAYS = 30;
const DAY_MS = 86_400_000;

type AiTables = {
  /** `room` is a hash of whose browser asked; `created` in milliseconds since the epoch. */
  ai_answer: {
    id: Generated<number>;
    room: string;
    prompt: string;
    text: string;
    thoughts: string;
    state: string;
    error: string | null;
    created: number;
  };
};

export interface KeptAnswer {
  readonly id: number;
  readonly prompt: string;
  readonly text: string;
  readonly thoughts: string;
  readonly state: AnswerState;
  readonly error: string | undefined;
  readonly created: Temporal.Instant;
}

/** What changes of an answer while it is written. */
export type Progress = Pick<KeptAnswer, 'text' | 'thoughts' | 'state' | 'error'>;

export function answerStore({ db: ground }: Database) {
  const db = ground.$extendTables<AiTables>();
  /** The oldest that a room is still told of. */
  const oldestTold = (room: string) =>
    db
      .selectFrom('ai_answer')
      .select('id')
      .where('room', '=', room)
      .orderBy('id', 'desc')
      .limit(1)
      .offset(MAX_RECENT_ANSWERS - 1);
  return {
    /** Keeps a question that is being answered. */
    begin: async (room: string, prompt: string, created: Temporal.Instant): Promise<number> => {
      const { id } = await db
        .insertInto('ai_answer')
        .values({
          room,
          prompt,
          text: '',
          thoughts: '',
          state: 'running',
          error: null,
          created: created.epochMilliseconds,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    /** Removes what a room is not told of any more. */
    trim: async (room: string): Promise<void> => {
      await db
        .deleteFrom('ai_answer')
        .where('room', '=', room)
        .where('state', '<>', 'running')
        .where('id', '<', oldestTold(room))
        .execute();
    },
    write: async (id: number, { text, thoughts, state, error }: Progress): Promise<void> => {
      await db
        .updateTable('ai_answer')
        .set({ text, thoughts, state, error: error ?? null })
        .where('id', '=', id)
        .execute();
    },
    /** The newest of a room, oldest first. */
    newest: async (room: string): Promise<readonly KeptAnswer[]> => {
      const rows = await db
        .selectFrom('ai_answer')
        .selectAll()
        .where('room', '=', room)
        .orderBy('id', 'desc')
        .limit(MAX_RECENT_ANSWERS)
        .execute();
      return rows.toReversed().map(({ id, prompt, text, thoughts, state, error, created }) => ({
        id,
        prompt,
        text,
        thoughts,
        state: state as AnswerState, // written by this store alone
        error: error ?? undefined,
        created: Temporal.Instant.fromEpochMilliseconds(created),
      }));
    },
    /** Ends what a server that is gone was answering. */
    failRunning: async (error: string): Promise<void> => {
      await db.updateTable('ai_answer').set({ state: 'failed', error }).where('state', '=', 'running').execute();
    },
    removeOld: async (now: Temporal.Instant): Promise<void> => {
      await db
        .deleteFrom('ai_answer')
        .where('created', '<', now.epochMilliseconds - RETENTION_DAYS * DAY_MS)
        .execute();
    },
  };
}

export type AnswerStore = ReturnType<typeof answerStore>;
