import type { Transaction } from 'kysely';
import type { CalendarEvent } from '../../domain/event.ts';
import type { DeletedEvent } from '../calendar.ts';
import { readChangedEvents, type DbOrTransaction } from './eventStore.ts';
import { splitIntoBatches, type CalendarTables } from './tables.ts';

/** Resource of the row that has the revision up to which tombstones were removed. */
const HORIZON_RESOURCE = '';

/** Stores tombstones of permanently removed events, with the revision at which they were deleted. */
export async function insertTombstones(
  tx: Transaction<unknown>,
  account: number,
  now: number,
  gone: readonly DeletedEvent[],
): Promise<void> {
  const rows = gone.map(({ resource, revision }) => ({ account, resource, revision, gone: now }));
  for (const piece of splitIntoBatches(rows, 4))
    await tx.$extendTables<CalendarTables>().insertInto('calendar_gone').values(piece).execute();
}

/** Removes tombstones older than a time, and stores up to which revision. */
export async function removeOldTombstones(tx: Transaction<unknown>, before: number): Promise<void> {
  const tables = tx.$extendTables<CalendarTables>();
  const old = await tables
    .selectFrom('calendar_gone')
    .select(['account', (eb) => eb.fn.max('revision').as('revision')])
    .where('gone', '<', before)
    .where('resource', '!=', HORIZON_RESOURCE)
    .groupBy('account')
    .execute();
  if (old.length === 0) return;
  await tables
    .deleteFrom('calendar_gone')
    .where('gone', '<', before)
    .where('resource', '!=', HORIZON_RESOURCE)
    .execute();
  for (const { account, revision } of old) {
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

const readHorizon = async (source: DbOrTransaction, account: number): Promise<number> => {
  const row = await source
    .$extendTables<CalendarTables>()
    .selectFrom('calendar_gone')
    .select('revision')
    .where('account', '=', account)
    .where('resource', '=', HORIZON_RESOURCE)
    .executeTakeFirst();
  return row?.revision ?? 0;
};

/** Events in the bin count as deleted for other calendars too. */
const readTombstones = async (
  source: DbOrTransaction,
  account: number,
  revision: number,
): Promise<readonly DeletedEvent[]> => {
  const db = source.$extendTables<CalendarTables>();
  const purged = await db
    .selectFrom('calendar_gone')
    .select(['resource', 'revision'])
    .where('account', '=', account)
    .where('revision', '>', revision)
    .where('resource', '!=', HORIZON_RESOURCE)
    .execute();
  const binned = await db
    .selectFrom('calendar_event')
    .select(['resource', 'revision'])
    .where('account', '=', account)
    .where('revision', '>', revision)
    .where('deleted', 'is not', null)
    .where('subscription', 'is', null)
    .where('parent', 'is', null)
    .execute();
  return [...purged, ...binned].toSorted((one, other) => one.revision - other.revision);
};

/** Resources that exist: one may have been reused. */
const findExisting = async (
  source: DbOrTransaction,
  account: number,
  resources: readonly string[],
): Promise<ReadonlySet<string>> => {
  const live = new Set<string>();
  for (const piece of splitIntoBatches(resources)) {
    const rows = await source
      .$extendTables<CalendarTables>()
      .selectFrom('calendar_event')
      .select('resource')
      .where('account', '=', account)
      .where('deleted', 'is', null)
      .where('subscription', 'is', null)
      .where('parent', 'is', null)
      .where('resource', 'in', piece)
      .execute();
    for (const { resource } of rows) live.add(resource);
  }
  return live;
};

/** Returns what changed in own events after a revision, or undefined if it is too old or unknown. */
export async function readChangesSince(
  source: DbOrTransaction,
  account: number,
  { revision, now }: { readonly revision: number; readonly now: number },
): Promise<{ readonly changed: readonly CalendarEvent[]; readonly gone: readonly DeletedEvent[] } | undefined> {
  if (revision > now || revision < (await readHorizon(source, account))) return undefined;
  const changed = await readChangedEvents(source, account, revision);
  const gone = await readTombstones(source, account, revision);
  const live = await findExisting(
    source,
    account,
    gone.map(({ resource }) => resource),
  );
  const last = new Map(gone.filter(({ resource }) => !live.has(resource)).map((each) => [each.resource, each]));
  return { changed, gone: [...last.values()] };
}
