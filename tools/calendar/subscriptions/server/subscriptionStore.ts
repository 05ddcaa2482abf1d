import type { Generated, Kysely, Selectable } from 'kysely';
import type { Problem } from '../../exchange/server/ics/readIcs.ts';
import type { Validators } from './remoteCalendar.ts';

/** A calendar of another server that is read regularly. Times are milliseconds since the epoch. */
export interface Subscription {
  readonly id: number;
  readonly account: number;
  /** As entered, including a username and password if it has them. */
  readonly address: string;
  readonly name: string;
  readonly colour: string;
  readonly refreshed: number | undefined;
  /** Time of the next refresh. A reader claims it by moving this time, and writes only while it is unchanged. */
  readonly due: number;
  /** Number of consecutive failures. */
  readonly failures: number;
  readonly problem: string | undefined;
  readonly warnings: readonly Problem[];
  readonly validators: Validators;
}

type SubscriptionTables = {
  calendar_subscription: {
    id: Generated<number>;
    account: number;
    address: string;
    name: string;
    colour: string;
    refreshed: number | null;
    due: number;
    failures: number;
    problem: string | null;
    /** JSON. */
    warnings: string | null;
    etag: string | null;
    modified: string | null;
  };
  calendar_event: { id: number; account: number; subscription: number | null; deleted: number | null };
};
type SubscriptionRow = Selectable<SubscriptionTables['calendar_subscription']>;

const toSubscription = ({ refreshed, problem, warnings, etag, modified, ...row }: SubscriptionRow): Subscription => ({
  ...row,
  warnings: warnings === null ? [] : (JSON.parse(warnings) as Problem[]),
  refreshed: refreshed ?? undefined,
  problem: problem ?? undefined,
  validators: { etag: etag ?? undefined, modified: modified ?? undefined },
});

export type NewSubscription = Pick<Subscription, 'account' | 'address' | 'name' | 'colour' | 'due' | 'warnings'> & {
  readonly refreshed: number;
  readonly validators: Validators;
};

export type LastFetch = Pick<Subscription, 'validators' | 'warnings'>;

const MAX_WARNINGS = 100;
const toJson = (warnings: readonly Problem[]): string | null =>
  warnings.length === 0 ? null : JSON.stringify(warnings.slice(0, MAX_WARNINGS));

/** Creates the store for the database or a running transaction. */
export function createSubscriptionStore(untypedDb: Kysely<unknown>) {
  const db = untypedDb.$extendTables<SubscriptionTables>();
  const updateOwned = (account: number, id: number) =>
    db.updateTable('calendar_subscription').where('account', '=', account).where('id', '=', id);
  return {
    list: async (account: number): Promise<readonly Subscription[]> => {
      const rows = await db
        .selectFrom('calendar_subscription')
        .selectAll()
        .where('account', '=', account)
        .orderBy('id')
        .execute();
      return rows.map(toSubscription);
    },

    find: async (account: number, id: number): Promise<Subscription | undefined> => {
      const row = await db
        .selectFrom('calendar_subscription')
        .selectAll()
        .where('account', '=', account)
        .where('id', '=', id)
        .executeTakeFirst();
      return row && toSubscription(row);
    },

    /** Lists due subscriptions of all accounts, longest overdue first. */
    listDue: async (now: number, max: number): Promise<readonly Subscription[]> => {
      const rows = await db
        .selectFrom('calendar_subscription')
        .selectAll()
        .where('due', '<=', now)
        .orderBy('due')
        .orderBy('id')
        .limit(max)
        .execute();
      return rows.map(toSubscription);
    },

    /** Counts events by subscription. */
    countEvents: async (account: number): Promise<ReadonlyMap<number, number>> => {
      const rows = await db
        .selectFrom('calendar_event')
        .select(['subscription', (eb) => eb.fn.countAll<number>().as('events')])
        .where('account', '=', account)
        .where('subscription', 'is not', null)
        .groupBy('subscription')
        .execute();
      return new Map(rows.map(({ subscription, events }) => [subscription ?? 0, events]));
    },

    listEventIds: async (account: number, id: number): Promise<readonly number[]> => {
      const rows = await db
        .selectFrom('calendar_event')
        .select('id')
        .where('account', '=', account)
        .where('subscription', '=', id)
        .execute();
      return rows.map((row) => row.id);
    },

    add: async ({ validators: { etag, modified }, warnings, ...columns }: NewSubscription): Promise<number> => {
      const { id } = await db
        .insertInto('calendar_subscription')
        .values({
          ...columns,
          failures: 0,
          problem: null,
          warnings: toJson(warnings),
          etag: etag ?? null,
          modified: modified ?? null,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },

    rename: async (account: number, id: number, { name, colour }: { name: string; colour: string }): Promise<void> => {
      await updateOwned(account, id).set({ name, colour }).execute();
    },

    /** Claims a subscription by moving its due time. False if another reader did so, or it was removed. */
    claim: async ({ account, id, due }: Subscription, next: number): Promise<boolean> => {
      const { numUpdatedRows } = await updateOwned(account, id)
        .set({ due: next })
        .where('due', '=', due)
        .executeTakeFirst();
      return numUpdatedRows > 0;
    },

    /** Stores a successful refresh. Without `read` the calendar is unchanged, and validators and warnings stay. */
    succeed: async (
      { account, id, due }: Subscription,
      { refreshed, next, read }: { refreshed: number; next: number; read?: LastFetch | undefined },
    ): Promise<boolean> => {
      const { numUpdatedRows } = await updateOwned(account, id)
        .set({
          refreshed,
          due: next,
          failures: 0,
          problem: null,
          ...(read && {
            etag: read.validators.etag ?? null,
            modified: read.validators.modified ?? null,
            warnings: toJson(read.warnings),
          }),
        })
        .where('due', '=', due)
        .executeTakeFirst();
      return numUpdatedRows > 0;
    },

    /** Stores a failed refresh. */
    fail: async ({ account, id, due, failures }: Subscription, problem: string, next: number): Promise<void> => {
      await updateOwned(account, id)
        .set({ problem, failures: failures + 1, due: next })
        .where('due', '=', due)
        .execute();
    },

    remove: async (account: number, id: number): Promise<void> => {
      await db.deleteFrom('calendar_subscription').where('account', '=', account).where('id', '=', id).execute();
    },
  };
}
