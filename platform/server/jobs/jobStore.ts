import type { ExpressionBuilder, Generated, Kysely, Selectable, Transaction } from 'kysely';
import type { Database } from '../database/database.ts';
import { pickFairestJob, type JobState, type NewJob } from './jobQueue.ts';

type JobTables = {
  /** Times in milliseconds since the epoch; `input` and `result` as JSON. */
  job: {
    id: Generated<number>;
    account: number;
    kind: string;
    key: string;
    input: string;
    title: string;
    parent: number | null;
    position: number;
    state: JobState;
    attempt: number;
    run_after: number;
    /** The worker that runs it, for as long as it says so again. */
    lease_by: string | null;
    lease_until: number;
    /** 1 once somebody wants it ended. */
    cancel: number;
    error: string;
    result: string | null;
    dismissed: number;
    created: number;
    ended: number | null;
  };
};
export type JobRow = Selectable<JobTables['job']>;

/** Who asks, and when. */
export interface WorkerIdentity {
  readonly workerId: string;
  readonly now: number;
}

export interface ClaimRequest extends WorkerIdentity {
  /** That may begin now. */
  readonly kinds: readonly string[];
  /** Jobs of which a run has not wholly ended here. They are left alone until it has: one taken would be begun by nobody, and wait for its lease to run out. */
  readonly activeJobIds: readonly number[];
}

/** For so long a worker has a job without saying so again. */
export const LEASE_TTL_MS = 30_000;
/** Two workers may choose the same one: the second to write it chooses again. */
const MAX_CLAIM_ATTEMPTS = 5;
const OPEN_STATES: readonly JobState[] = ['queued', 'running'];

const NO_LEASE = { lease_by: null, lease_until: 0 };
/** What PostgreSQL would not keep. */
const removeNullCharacters = (text: string): string => text.toWellFormed().replaceAll('\0', '');

type Build = ExpressionBuilder<JobTables, 'job'>;
/** Waiting and due, or left by a worker that is gone. */
const isClaimable =
  ({ now, kinds, activeJobIds }: Omit<ClaimRequest, 'workerId'>) =>
  (is: Build) =>
    is.and([
      is('kind', 'in', kinds),
      ...(activeJobIds.length === 0 ? [] : [is('id', 'not in', activeJobIds)]),
      is.or([
        is.and([is('state', '=', 'queued'), is('run_after', '<=', now)]),
        is.and([is('state', '=', 'running'), is('lease_until', '<', now), is('cancel', '=', 0)]),
      ]),
    ]);

/** The beginning of what a queued job gets, and another one does not. */
const ifQueued = (is: Build) => is.case().when('state', '=', 'queued');

const inside = (tx: Kysely<unknown>) => tx.$extendTables<JobTables>();

export function createJobStore(database: Database) {
  const db = inside(database.db);
  const all = (tx: Kysely<unknown> | undefined) => (tx ? inside(tx) : db).selectFrom('job').selectAll();
  /** A job that this worker has still, and that nobody wants ended. */
  const mine = (tx: Kysely<unknown>, id: number, { workerId }: Pick<WorkerIdentity, 'workerId'>) =>
    inside(tx).updateTable('job').where('id', '=', id).where('lease_by', '=', workerId).where('state', '=', 'running');

  const choose = async (tx: Transaction<unknown>, claiming: ClaimRequest) => {
    const candidates = await inside(tx)
      .selectFrom('job')
      .where(isClaimable(claiming))
      .groupBy('account')
      .select(({ fn }) => ['account', fn.min('id').as('id')])
      .execute();
    const counts = await inside(tx)
      .selectFrom('job')
      .where('state', '=', 'running')
      .where('lease_until', '>=', claiming.now)
      .groupBy('account')
      .select(({ fn }) => ['account', fn.countAll<number>().as('count')])
      .execute();
    const running = new Map(counts.map(({ account, count }) => [account, count]));
    return pickFairestJob(candidates, (account) => running.get(account) ?? 0);
  };

  return {
    add: async (tx: Transaction<unknown>, jobs: readonly NewJob[], now: number): Promise<readonly JobRow[]> => {
      const added: JobRow[] = [];
      for (const { account, kind, input, title, key = '', parent = null, position = 0 } of jobs)
        added.push(
          await inside(tx)
            .insertInto('job')
            .values({
              account,
              kind,
              key: removeNullCharacters(key),
              input: JSON.stringify(input),
              title: removeNullCharacters(title),
              parent,
              position,
              state: 'queued',
              attempt: 0,
              run_after: 0,
              cancel: 0,
              error: '',
              result: null,
              dismissed: 0,
              created: now,
              ended: null,
              ...NO_LEASE,
            })
            .returningAll()
            .executeTakeFirstOrThrow(),
        );
      return added;
    },

    find: (account: number, id: number, tx?: Transaction<unknown>): Promise<JobRow | undefined> =>
      all(tx).where('id', '=', id).where('account', '=', account).executeTakeFirst(),

    list: async (
      account: number,
      { kinds, endedAfter, parent }: { kinds?: readonly string[]; endedAfter?: number; parent?: number },
      tx?: Transaction<unknown>,
    ): Promise<readonly JobRow[]> => {
      let asked = all(tx).where('account', '=', account);
      if (kinds) asked = asked.where('kind', 'in', kinds);
      if (parent !== undefined) asked = asked.where('parent', '=', parent);
      return asked
        .where((is) =>
          is.or([is('state', 'in', OPEN_STATES), ...(endedAfter === undefined ? [] : [is('ended', '>', endedAfter)])]),
        )
        .orderBy('id')
        .execute();
    },

    openOf: (
      { account, kind, key }: Pick<JobRow, 'account' | 'kind' | 'key'>,
      tx?: Transaction<unknown>,
    ): Promise<readonly JobRow[]> =>
      all(tx)
        .where('account', '=', account)
        .where('kind', '=', kind)
        .where('key', '=', removeNullCharacters(key))
        .where('state', 'in', OPEN_STATES)
        .orderBy('id')
        .execute(),

    countOpen: async (account: number, tx?: Transaction<unknown>): Promise<number> => {
      const { count } = await (tx ? inside(tx) : db)
        .selectFrom('job')
        .where('account', '=', account)
        .where('state', 'in', OPEN_STATES)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },

    /** Of an account: those that may have a folder. */
    unfinishedIds: async (account: number): Promise<readonly number[]> => {
      const asked = db.selectFrom('job').select('id').where('account', '=', account);
      const rows = await asked.where('state', 'in', [...OPEN_STATES, 'failed']).execute();
      return rows.map(({ id }) => id);
    },

    /** Those among them that are open, or failed and are still shown; the last that ended first. One look: none of them is between two states. */
    standing: async (ids: readonly number[]): Promise<readonly Pick<JobRow, 'id' | 'account' | 'state' | 'ended'>[]> =>
      ids.length === 0
        ? []
        : db
            .selectFrom('job')
            .select(['id', 'account', 'state', 'ended'])
            .where('id', 'in', ids)
            .where((is) =>
              is.or([is('state', 'in', OPEN_STATES), is.and([is('state', '=', 'failed'), is('dismissed', '=', 0)])]),
            )
            .orderBy('ended', 'desc')
            .orderBy('id', 'desc')
            .execute(),

    /** Whether anything is queued or runs. */
    isAnyOpen: async (): Promise<boolean> =>
      (await db.selectFrom('job').select('id').where('state', 'in', OPEN_STATES).limit(1).executeTakeFirst()) !==
      undefined,

    /** Whether there is anything to claim, or to clear away; asked often, and by reading alone. */
    isAnyDue: async (claiming: Omit<ClaimRequest, 'workerId'>): Promise<boolean> =>
      claiming.kinds.length > 0 &&
      (await db.selectFrom('job').select('id').where(isClaimable(claiming)).limit(1).executeTakeFirst()) !== undefined,

    /** Takes the next one. Undefined where there is none. */
    claim: (claiming: ClaimRequest): Promise<JobRow | undefined> =>
      database.transaction(async ({ tx }) => {
        const { workerId, now } = claiming;
        for (let choice = 0; choice < MAX_CLAIM_ATTEMPTS; choice += 1) {
          const chosen = await choose(tx, claiming);
          if (chosen === undefined) return undefined;
          const taken = await inside(tx)
            .updateTable('job')
            .set(({ eb }) => ({
              state: 'running',
              lease_by: workerId,
              lease_until: now + LEASE_TTL_MS,
              attempt: eb('attempt', '+', 1),
            }))
            .where('id', '=', chosen.id)
            .where(isClaimable(claiming))
            .returningAll()
            .executeTakeFirst();
          if (taken) return taken;
        }
        return undefined;
      }),

    /** Ends those that were to be cancelled when their worker went. */
    endLeft: async ({ now }: Pick<WorkerIdentity, 'now'>): Promise<readonly JobRow[]> => {
      const isLeft = (is: Build) =>
        is.and([is('state', '=', 'running'), is('cancel', '=', 1), is('lease_until', '<', now)]);
      const left = await db.selectFrom('job').select('id').where(isLeft).limit(1).executeTakeFirst();
      if (left === undefined) return []; // asked every second: nothing is written for nothing
      return db
        .updateTable('job')
        .set({ state: 'cancelled', ended: now, ...NO_LEASE })
        .where(isLeft)
        .returningAll()
        .execute();
    },

    /** What a server that is gone had in hand may be taken at once. For a server that knows it is alone. */
    takeOver: async ({ workerId }: Pick<WorkerIdentity, 'workerId'>): Promise<void> => {
      await db
        .updateTable('job')
        .set({ lease_until: 0 })
        .where('state', '=', 'running')
        .where((is) => is.or([is('lease_by', '!=', workerId), is('lease_by', 'is', null)]))
        .execute();
    },

    /** Says that it is still at it: 'lost' where another one has it, or it is gone. */
    renew: async (id: number, { workerId, now }: WorkerIdentity): Promise<'held' | 'cancelled' | 'lost'> => {
      const row = await mine(database.db, id, { workerId })
        .set({ lease_until: now + LEASE_TTL_MS })
        .returning('cancel')
        .executeTakeFirst();
      if (row === undefined) return 'lost';
      return row.cancel === 1 ? 'cancelled' : 'held';
    },

    entitle: async (id: number, title: string, { workerId }: Pick<WorkerIdentity, 'workerId'>): Promise<void> => {
      await mine(database.db, id, { workerId })
        .set({ title: removeNullCharacters(title) })
        .execute();
    },

    /** In the transaction that keeps what came of it: false where it is no longer this worker's, or is to be cancelled. */
    finish: async (tx: Transaction<unknown>, id: number, { workerId, now }: WorkerIdentity): Promise<boolean> => {
      const done = await mine(tx, id, { workerId })
        .set({ state: 'done', error: '', ended: now, ...NO_LEASE })
        .where('cancel', '=', 0)
        .returning('id')
        .executeTakeFirst();
      return done !== undefined;
    },

    keepResult: (tx: Transaction<unknown>, id: number, result: unknown): Promise<JobRow> =>
      inside(tx)
        .updateTable('job')
        .set({ result: result === undefined ? null : JSON.stringify(result) })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow(),

    /** It failed, or was cancelled. Undefined where it is no longer this worker's. */
    end: (
      id: number,
      { state, error = '' }: { readonly state: 'failed' | 'cancelled'; readonly error?: string },
      { workerId, now }: WorkerIdentity,
    ): Promise<JobRow | undefined> =>
      mine(database.db, id, { workerId })
        .set({ state, error: removeNullCharacters(error), ended: now, ...NO_LEASE })
        .returningAll()
        .executeTakeFirst(),

    /** Waits again. `uncounted`: that it was begun does not count as a try. Undefined where it is no longer this worker's, or is to be cancelled. */
    putBack: (
      id: number,
      back: { readonly runAfter: number; readonly error: string; readonly uncounted: boolean },
      { workerId }: Pick<WorkerIdentity, 'workerId'>,
    ): Promise<JobRow | undefined> =>
      mine(database.db, id, { workerId })
        .set(({ eb }) => ({
          state: 'queued' as const,
          run_after: back.runAfter,
          error: removeNullCharacters(back.error),
          attempt: back.uncounted ? eb('attempt', '-', 1) : eb.ref('attempt'),
          ...NO_LEASE,
        }))
        .where('cancel', '=', 0)
        .returningAll()
        .executeTakeFirst(),

    /** Ends a queued one; marks a running one. Undefined for all others. One statement: between two of them it may be put back, and neither would meet it. */
    cancel: (account: number, id: number, now: number): Promise<JobRow | undefined> =>
      db
        .updateTable('job')
        .set((is) => ({
          state: ifQueued(is)
            .then('cancelled' as const)
            .else(is.ref('state'))
            .end(),
          ended: ifQueued(is).then(now).else(is.ref('ended')).end(),
          cancel: 1,
        }))
        .where('id', '=', id)
        .where('account', '=', account)
        .where('state', 'in', OPEN_STATES)
        .returningAll()
        .executeTakeFirst(),

    again: (account: number, id: number): Promise<JobRow | undefined> =>
      db
        .updateTable('job')
        .set({
          state: 'queued',
          attempt: 0,
          run_after: 0,
          cancel: 0,
          error: '',
          dismissed: 0,
          ended: null,
          ...NO_LEASE,
        })
        .where('id', '=', id)
        .where('account', '=', account)
        .where('state', 'in', ['failed', 'cancelled'])
        .returningAll()
        .executeTakeFirst(),

    dismiss: (account: number, id: number): Promise<JobRow | undefined> =>
      db
        .updateTable('job')
        .set({ dismissed: 1 })
        .where('id', '=', id)
        .where('account', '=', account)
        .where('state', 'not in', OPEN_STATES)
        .returningAll()
        .executeTakeFirst(),

    /** Forgets those that ended before. */
    clear: async (endedBefore: number): Promise<void> => {
      await db.deleteFrom('job').where('ended', '<', endedBefore).execute();
    },
  };
}
export type JobStore = ReturnType<typeof createJobStore>;
