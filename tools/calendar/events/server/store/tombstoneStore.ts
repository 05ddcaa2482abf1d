import type { Transaction } from 'kysely';
import type { DeletedEvent, EventChanges } from '../calendar.ts';
import { readChangedEvents, type DbOrTransaction } from './eventStore.ts';
import { splitIntoBatches, type CalendarTables } from './tables.ts';

/** Resource of the row that has the revision up to which tombstones were removed. */
const HORIZON_RESOURCE = '';

/** Stores tombstones of permanently removed events, with the revision at which they were deleted. */
export async function insertTombstones(
  tx: Transaction<unknown>,
  account: number,
  now: number,
  deletedEvents: readonly DeletedEvent[],
): Promise<void> {
  const rows = deletedEvents.map(({ resource, revision }) => ({ account, resource, revision, gone: now }));
  for (const batch of splitIntoBatches(rows, 4))
    await tx.$extendTables<CalendarTables>().insertInto('calendar_gone').values(batch).execute();
}

/** Removes tombstones older than a time, and stores the revision up to which they are removed. */
export async function removeOldTombstones(tx: Transaction<unknown>, before: number): Promise<void> {
  const tables = tx.$extendTables<CalendarTables>();
  const oldTombstones = await tables
    .selectFrom('calendar_gone')
    .select(['account', (eb) => eb.fn.max('revision').as('revision')])
    .where('gone', '<', before)
    .where('resource', '!=', HORIZON_RESOURCE)
    .groupBy('account')
    .execute();
  if (oldTombstones.length === 0) return;
  await tables
    .deleteFrom('calendar_gone')
    .where('gone', '<', before)
    .where('resource', '!=', HORIZON_RESOURCE)
    .execute();
  for (const { account, revision } of oldTombstones) {
    const horizon = await readHorizon(tx, account);
    await tables
      .deleteFrom('calendar_gone')
      .where('account', '=', account)
      .where('resource', '=', HORIZON_RESOURCE)
      .execute();
    const row = { account, resource: HORIZON_RESOURCE, revision: Math.max(horizon, revision), gone: before };
    await tables.insertInto('calendar_gone').values(row).execute();
  }
}

async function readHorizon(db: DbOrTransaction, account: number): Promise<number> {
  const row = await db
    .$extendTables<CalendarTables>()
    .selectFrom('calendar_gone')
    .select('revision')
    .where('account', '=', account)
    .where('resource', '=', HORIZON_RESOURCE)
    .executeTakeFirst();
  return row?.revision ?? 0;
}

/** Lists tombstones. For other calendars, events in the bin are deleted too. */
async function readTombstones(
  db: DbOrTransaction,
  account: number,
  revision: number,
): Promise<readonly DeletedEvent[]> {
  const tables = db.$extendTables<CalendarTables>();
  const purged = await tables
    .selectFrom('calendar_gone')
    .select(['resource', 'revision'])
    .where('account', '=', account)
    .where('revision', '>', revision)
    .where('resource', '!=', HORIZON_RESOURCE)
    .execute();
  const binned = await tables
    .selectFrom('calendar_event')
    .select(['resource', 'revision'])
    .where('account', '=', account)
    .where('revision', '>', revision)
    .where('deleted', 'is not', null)
    .where('subscription', 'is', null)
    .where('parent', 'is', null)
    .execute();
  return [...purged, ...binned].toSorted((one, other) => one.revision - other.revision);
}

/** Returns the resources that exist, because one may have been reused. */
async function findExisting(
  db: DbOrTransaction,
  account: number,
  resources: readonly string[],
): Promise<ReadonlySet<string>> {
  const live = new Set<string>();
  for (const batch of splitIntoBatches(resources)) {
    const rows = await db
      .$extendTables<CalendarTables>()
      .selectFrom('calendar_event')
      .select('resource')
      .where('account', '=', account)
      .where('deleted', 'is', null)
      .where('subscription', 'is', null)
      .where('parent', 'is', null)
      .where('resource', 'in', batch)
      .execute();
    for (const { resource } of rows) live.add(resource);
  }
  return live;
}

/** Returns what changed in own events after a revision, or undefined if it is too old or unknown. */
export async function readChangesSince(
  db: DbOrTransaction,
  account: number,
  { revision, now }: { readonly revision: number; readonly now: number },
): Promise<EventChanges | undefined> {
  if (revision > now || revision < (await readHorizon(db, account))) return undefined;
  const changed = await readChangedEvents(db, account, revision);
  const tombstones = await readTombstones(db, account, revision);
  const live = await findExisting(
    db,
    account,
    tombstones.map(({ resource }) => resource),
  );
  const latest = new Map(
    tombstones.filter(({ resource }) => !live.has(resource)).map((tombstone) => [tombstone.resource, tombstone]),
  );
  return { changed, deleted: [...latest.values()] };
}
