import type { ExpressionBuilder, Generated, Kysely, Selectable, Transaction } from 'kysely';
import { idColumn, referenceAccount } from '../database/columns.ts';
import type { Database } from '../database/database.ts';
import type { Migration } from '../tool.ts';
import { pickFairestJob, type JobState, type NewJob } from './jobQueue.ts';

export const jobMigrations: readonly Migration[] = [
  {
    name: '001-jobs',
    up: async (db) => {
      await db.schema
        .createTable('job')
        .$call(idColumn(db))
        .addColumn('account', 'integer', referenceAccount)
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('input', 'text', (column) => column.notNull())
        .addColumn('title', 'text', (column) => column.notNull())
        .addColumn('parent', 'integer')
        .addColumn('position', 'integer', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('attempt', 'integer', (column) => column.notNull())
        .addColumn('run_after', 'bigint', (column) => column.notNull())
        .addColumn('lease_by', 'text')
        .addColumn('lease_until', 'bigint', (column) => column.notNull())
        .addColumn('cancel', 'integer', (column) => column.notNull())
        .addColumn('error', 'text', (column) => column.notNull())
        .addColumn('result', 'text')
        .addColumn('dismissed', 'integer', (column) => column.notNull())
        .addColumn('created', 'bigint', (column) => column.notNull())
        .addColumn('ended', 'bigint')
        .execute();
      await db.schema.createIndex('job_state').on('job').columns(['state', 'account']).execute();
      await db.schema.createIndex('job_account').on('job').columns(['account', 'state']).execute();
      await db.schema.createIndex('job_key').on('job').columns(['account', 'kind', 'key']).execute();
    },
  },
];

type JobTables = {
  /** Times are milliseconds since the epoch; `input` and `result` are JSON. */
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
    /** Worker that runs it, until the lease expires. */
    lease_by: string | null;
    lease_until: number;
    /** 1 after a request to cancel it. */
    cancel: number;
    error: string;
    result: string | null;
    dismissed: number;
    created: number;
    ended: number | null;
  };
};
export type JobRow = Selectable<JobTables['job']>;

/** The worker that makes a request, and the current time. */
export interface WorkerIdentity {
  readonly workerId: string;
  readonly now: number;
}

/** Which jobs a worker can claim. */
export interface ClaimRequest extends WorkerIdentity {
  /** Kinds whose jobs may start now. */
  readonly kinds: readonly string[];
  /** Jobs that have not completely ended in this process. Claiming one would start nothing until its lease expires. */
  readonly activeJobIds: readonly number[];
}

/** Time in milliseconds after which a lease expires unless it is renewed. */
export const LEASE_TTL_MS = 30_000;
/** Attempts to claim a job. If two workers choose the same job, the second one to write chooses again. */
const MAX_CLAIM_ATTEMPTS = 5;
const OPEN_STATES: readonly JobState[] = ['queued', 'running'];

const NO_LEASE = { lease_by: null, lease_until: 0 };
/** Removes characters that PostgreSQL cannot store. */
const removeNullCharacters = (text: string): string => text.toWellFormed().replaceAll('\0', '');

type JobExpressionBuilder = ExpressionBuilder<JobTables, 'job'>;
/** Builds the condition for jobs that are queued and due, or whose worker let its lease expire. */
const isClaimable =
  ({ now, kinds, activeJobIds }: Omit<ClaimRequest, 'workerId'>) =>
  (eb: JobExpressionBuilder) =>
    eb.and([
      eb('kind', 'in', kinds),
      ...(activeJobIds.length === 0 ? [] : [eb('id', 'not in', activeJobIds)]),
      eb.or([
        eb.and([eb('state', '=', 'queued'), eb('run_after', '<=', now)]),
        eb.and([eb('state', '=', 'running'), eb('lease_until', '<', now), eb('cancel', '=', 0)]),
      ]),
    ]);

/** Starts a CASE expression whose first value applies to queued jobs. */
const caseQueued = (eb: JobExpressionBuilder) => eb.case().when('state', '=', 'queued');

const withJobTables = (tx: Kysely<unknown>) => tx.$extendTables<JobTables>();

export function createJobStore(database: Database) {
  const db = withJobTables(database.db);
  const selectJobs = (tx: Kysely<unknown> | undefined) => (tx ? withJobTables(tx) : db).selectFrom('job').selectAll();
  /** Updates a job if this worker still has its lease. */
  const updateLeased = (tx: Kysely<unknown>, id: number, { workerId }: Pick<WorkerIdentity, 'workerId'>) =>
    withJobTables(tx)
      .updateTable('job')
      .where('id', '=', id)
      .where('lease_by', '=', workerId)
      .where('state', '=', 'running');

  async function chooseJob(tx: Transaction<unknown>, request: ClaimRequest) {
    const candidates = await withJobTables(tx)
      .selectFrom('job')
      .where(isClaimable(request))
      .groupBy('account')
      .select(({ fn }) => ['account', fn.min('id').as('id')])
      .execute();
    const counts = await withJobTables(tx)
      .selectFrom('job')
      .where('state', '=', 'running')
      .where('lease_until', '>=', request.now)
      .groupBy('account')
      .select(({ fn }) => ['account', fn.countAll<number>().as('count')])
      .execute();
    const running = new Map(counts.map(({ account, count }) => [account, count]));
    return pickFairestJob(candidates, (account) => running.get(account) ?? 0);
  }

  return {
    insert: async (tx: Transaction<unknown>, jobs: readonly NewJob[], now: number): Promise<readonly JobRow[]> => {
      const rows: JobRow[] = [];
      for (const { account, kind, input, title, key = '', parent = null, position = 0 } of jobs)
        rows.push(
          await withJobTables(tx)
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
      return rows;
    },

    find: (account: number, id: number, tx?: Transaction<unknown>): Promise<JobRow | undefined> =>
      selectJobs(tx).where('id', '=', id).where('account', '=', account).executeTakeFirst(),

    list: async (
      account: number,
      { kinds, endedAfter, parent }: { kinds?: readonly string[]; endedAfter?: number; parent?: number },
      tx?: Transaction<unknown>,
    ): Promise<readonly JobRow[]> => {
      let query = selectJobs(tx).where('account', '=', account);
      if (kinds) query = query.where('kind', 'in', kinds);
      if (parent !== undefined) query = query.where('parent', '=', parent);
      return query
        .where((eb) =>
          eb.or([eb('state', 'in', OPEN_STATES), ...(endedAfter === undefined ? [] : [eb('ended', '>', endedAfter)])]),
        )
        .orderBy('id')
        .execute();
    },

    listOpenByKey: (
      { account, kind, key }: Pick<JobRow, 'account' | 'kind' | 'key'>,
      tx?: Transaction<unknown>,
    ): Promise<readonly JobRow[]> =>
      selectJobs(tx)
        .where('account', '=', account)
        .where('kind', '=', kind)
        .where('key', '=', removeNullCharacters(key))
        .where('state', 'in', OPEN_STATES)
        .orderBy('id')
        .execute(),

    countOpen: async (account: number, tx?: Transaction<unknown>): Promise<number> => {
      const { count } = await (tx ? withJobTables(tx) : db)
        .selectFrom('job')
        .where('account', '=', account)
        .where('state', 'in', OPEN_STATES)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },

    /** Lists jobs of an account that may have a folder. */
    listUnfinishedIds: async (account: number): Promise<readonly number[]> => {
      const query = db.selectFrom('job').select('id').where('account', '=', account);
      const rows = await query.where('state', 'in', [...OPEN_STATES, 'failed']).execute();
      return rows.map(({ id }) => id);
    },

    /**
     * Lists jobs of these ids that are open, or failed and not dismissed, last ended first.
     * One query, so that a job that changes its state meanwhile is not missed.
     */
    listUnfinished: async (
      ids: readonly number[],
    ): Promise<readonly Pick<JobRow, 'id' | 'account' | 'state' | 'ended'>[]> =>
      ids.length === 0
        ? []
        : db
            .selectFrom('job')
            .select(['id', 'account', 'state', 'ended'])
            .where('id', 'in', ids)
            .where((eb) =>
              eb.or([eb('state', 'in', OPEN_STATES), eb.and([eb('state', '=', 'failed'), eb('dismissed', '=', 0)])]),
            )
            .orderBy('ended', 'desc')
            .orderBy('id', 'desc')
            .execute(),

    /** Returns whether any job is queued or running. */
    isAnyOpen: async (): Promise<boolean> =>
      (await db.selectFrom('job').select('id').where('state', 'in', OPEN_STATES).limit(1).executeTakeFirst()) !==
      undefined,

    /** Returns whether a job can be claimed. Called often, and only reads. */
    isAnyDue: async (request: Omit<ClaimRequest, 'workerId'>): Promise<boolean> =>
      request.kinds.length > 0 &&
      (await db.selectFrom('job').select('id').where(isClaimable(request)).limit(1).executeTakeFirst()) !== undefined,

    /** Claims the next job. Returns undefined if there is none. */
    claim: (request: ClaimRequest): Promise<JobRow | undefined> =>
      database.transaction(async ({ tx }) => {
        const { workerId, now } = request;
        for (let attempt = 0; attempt < MAX_CLAIM_ATTEMPTS; attempt += 1) {
          const candidate = await chooseJob(tx, request);
          if (candidate === undefined) return undefined;
          const claimed = await withJobTables(tx)
            .updateTable('job')
            .set(({ eb }) => ({
              state: 'running',
              lease_by: workerId,
              lease_until: now + LEASE_TTL_MS,
              attempt: eb('attempt', '+', 1),
            }))
            .where('id', '=', candidate.id)
            .where(isClaimable(request))
            .returningAll()
            .executeTakeFirst();
          if (claimed) return claimed;
        }
        return undefined;
      }),

    /** Ends jobs that were cancelled when their worker died. */
    endOrphanedCancellations: async ({ now }: Pick<WorkerIdentity, 'now'>): Promise<readonly JobRow[]> => {
      const isOrphaned = (eb: JobExpressionBuilder) =>
        eb.and([eb('state', '=', 'running'), eb('cancel', '=', 1), eb('lease_until', '<', now)]);
      const orphan = await db.selectFrom('job').select('id').where(isOrphaned).limit(1).executeTakeFirst();
      if (orphan === undefined) return []; // runs every second, so it must not write without need
      return db
        .updateTable('job')
        .set({ state: 'cancelled', ended: now, ...NO_LEASE })
        .where(isOrphaned)
        .returningAll()
        .execute();
    },

    /** Expires the leases of other workers, so that their jobs can be claimed. Only for a server that is alone. */
    expireOtherLeases: async ({ workerId }: Pick<WorkerIdentity, 'workerId'>): Promise<void> => {
      await db
        .updateTable('job')
        .set({ lease_until: 0 })
        .where('state', '=', 'running')
        .where((eb) => eb.or([eb('lease_by', '!=', workerId), eb('lease_by', 'is', null)]))
        .execute();
    },

    /** Renews the lease. Returns 'lost' if another worker has it or the job is gone. */
    renew: async (id: number, { workerId, now }: WorkerIdentity): Promise<'held' | 'cancelled' | 'lost'> => {
      const row = await updateLeased(database.db, id, { workerId })
        .set({ lease_until: now + LEASE_TTL_MS })
        .returning('cancel')
        .executeTakeFirst();
      if (row === undefined) return 'lost';
      return row.cancel === 1 ? 'cancelled' : 'held';
    },

    setTitle: async (id: number, title: string, { workerId }: Pick<WorkerIdentity, 'workerId'>): Promise<void> => {
      await updateLeased(database.db, id, { workerId })
        .set({ title: removeNullCharacters(title) })
        .execute();
    },

    /**
     * Marks the job as done, in the transaction that saves its outcome.
     * Returns false if the lease was lost or the job was cancelled.
     */
    finish: async (tx: Transaction<unknown>, id: number, { workerId, now }: WorkerIdentity): Promise<boolean> => {
      const done = await updateLeased(tx, id, { workerId })
        .set({ state: 'done', error: '', ended: now, ...NO_LEASE })
        .where('cancel', '=', 0)
        .returning('id')
        .executeTakeFirst();
      return done !== undefined;
    },

    saveResult: (tx: Transaction<unknown>, id: number, result: unknown): Promise<JobRow> =>
      withJobTables(tx)
        .updateTable('job')
        .set({ result: result === undefined ? null : JSON.stringify(result) })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow(),

    /** Ends a failed or cancelled job. Returns undefined if the lease was lost. */
    end: (
      id: number,
      { state, error = '' }: { readonly state: 'failed' | 'cancelled'; readonly error?: string },
      { workerId, now }: WorkerIdentity,
    ): Promise<JobRow | undefined> =>
      updateLeased(database.db, id, { workerId })
        .set({ state, error: removeNullCharacters(error), ended: now, ...NO_LEASE })
        .returningAll()
        .executeTakeFirst(),

    /**
     * Requeues a running job. Without `countsAsAttempt`, the attempt is not counted.
     * Returns undefined if the lease was lost or the job was cancelled.
     */
    requeueRunning: (
      id: number,
      options: { readonly runAfter: number; readonly error: string; readonly countsAsAttempt: boolean },
      { workerId }: Pick<WorkerIdentity, 'workerId'>,
    ): Promise<JobRow | undefined> =>
      updateLeased(database.db, id, { workerId })
        .set(({ eb }) => ({
          state: 'queued' as const,
          run_after: options.runAfter,
          error: removeNullCharacters(options.error),
          attempt: options.countsAsAttempt ? eb.ref('attempt') : eb('attempt', '-', 1),
          ...NO_LEASE,
        }))
        .where('cancel', '=', 0)
        .returningAll()
        .executeTakeFirst(),

    /**
     * Cancels a queued job, and marks a running one. Returns undefined for all others.
     * One statement, because the job could be requeued between two.
     */
    cancel: (account: number, id: number, now: number): Promise<JobRow | undefined> =>
      db
        .updateTable('job')
        .set((eb) => ({
          state: caseQueued(eb)
            .then('cancelled' as const)
            .else(eb.ref('state'))
            .end(),
          ended: caseQueued(eb).then(now).else(eb.ref('ended')).end(),
          cancel: 1,
        }))
        .where('id', '=', id)
        .where('account', '=', account)
        .where('state', 'in', OPEN_STATES)
        .returningAll()
        .executeTakeFirst(),

    requeue: (account: number, id: number): Promise<JobRow | undefined> =>
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

    /** Removes jobs that ended before a time in milliseconds since the epoch. */
    removeEndedBefore: async (endedBefore: number): Promise<void> => {
      await db.deleteFrom('job').where('ended', '<', endedBefore).execute();
    },
  };
}
export type JobStore = ReturnType<typeof createJobStore>;
