import type { Generated } from 'kysely';
import { DAY_MS } from '#platform/contract/duration.ts';
import type { Database } from '#platform/server/database/database.ts';
import { MAX_RECENT_ANSWERS, type AnswerState } from '../contract.ts';

/** Older answers are removed. */
export const RETENTION_DAYS = 30;

type AiTables = {
  /** `room` is a hash of the browser's room; `created` is in milliseconds since the epoch. */
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

export interface StoredAnswer {
  readonly id: number;
  readonly prompt: string;
  readonly text: string;
  readonly thoughts: string;
  readonly state: AnswerState;
  readonly error: string | undefined;
  readonly created: Temporal.Instant;
}

/** The columns that change while an answer is generated. */
export type AnswerProgress = Pick<StoredAnswer, 'text' | 'thoughts' | 'state' | 'error'>;

export function createAnswerStore({ db: untypedDb }: Database) {
  const db = untypedDb.$extendTables<AiTables>();
  /** Selects the oldest answer that is still listed for a room. */
  const selectOldestListed = (room: string) =>
    db
      .selectFrom('ai_answer')
      .select('id')
      .where('room', '=', room)
      .orderBy('id', 'desc')
      .limit(1)
      .offset(MAX_RECENT_ANSWERS - 1);
  return {
    /** Inserts a running answer and returns its id. */
    insert: async (room: string, prompt: string, created: Temporal.Instant): Promise<number> => {
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
    /** Removes answers of a room that are no longer listed. */
    removeUnlisted: async (room: string): Promise<void> => {
      await db
        .deleteFrom('ai_answer')
        .where('room', '=', room)
        .where('state', '<>', 'running')
        .where('id', '<', selectOldestListed(room))
        .execute();
    },
    update: async (id: number, { text, thoughts, state, error }: AnswerProgress): Promise<void> => {
      await db
        .updateTable('ai_answer')
        .set({ text, thoughts, state, error: error ?? null })
        .where('id', '=', id)
        .execute();
    },
    /** Lists the newest answers of a room, oldest first. */
    listNewest: async (room: string): Promise<readonly StoredAnswer[]> => {
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
        state: state as AnswerState, // only this store writes it
        error: error ?? undefined,
        created: Temporal.Instant.fromEpochMilliseconds(created),
      }));
    },
    /** Fails the answers that a previous server run left running: all, or those created before a time. */
    failRunning: async (error: string, before?: Temporal.Instant): Promise<void> => {
      const update = db.updateTable('ai_answer').set({ state: 'failed', error }).where('state', '=', 'running');
      await (before === undefined ? update : update.where('created', '<', before.epochMilliseconds)).execute();
    },
    removeExpired: async (now: Temporal.Instant): Promise<void> => {
      await db
        .deleteFrom('ai_answer')
        .where('created', '<', now.epochMilliseconds - RETENTION_DAYS * DAY_MS)
        .execute();
    },
  };
}

export type AnswerStore = ReturnType<typeof createAnswerStore>;
