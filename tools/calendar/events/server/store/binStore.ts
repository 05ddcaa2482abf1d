import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import type { CalendarEvent } from '../../domain/event.ts';
import type { Removal } from '../calendar.ts';
import { toEvents, readRows, type DbOrTransaction } from './eventStore.ts';
import { removePlacements, insertPlacements } from './placeEvents.ts';
import { validateChangeable, type Stores, touchParents, type WriteContext } from './saveEvents.ts';
import { type EventRow, splitIntoBatches, type CalendarTables } from './tables.ts';
import { insertTombstones } from './tombstoneStore.ts';

async function readChildIds(tx: Transaction<unknown>, account: number, parents: readonly number[]) {
  const ids: number[] = [];
  for (const batch of splitIntoBatches(parents)) {
    const children = await tx
      .$extendTables<CalendarTables>()
      .selectFrom('calendar_event')
      .select('id')
      .where('account', '=', account)
      .where('parent', 'in', batch)
      .where('deleted', 'is', null)
      .execute();
    ids.push(...children.map(({ id }) => id));
  }
  return ids;
}

/** Moves events and their changed days to the bin. @throws as `Calendar.remove` */
export async function removeEvents(
  tx: Transaction<unknown>,
  { revisions, edits, search }: Stores,
  removals: readonly Removal[],
  { account, author, now }: WriteContext,
): Promise<void> {
  const revision = await revisions.raise(tx, account, removals.length);
  const requestedIds = removals.map(({ id }) => id);
  const rows = await readRows(tx, account, requestedIds);
  for (const { id, seenRevision } of removals) validateChangeable(rows.get(id), seenRevision, { author });
  const ids = new Set([...requestedIds, ...(await readChildIds(tx, account, requestedIds))]);
  const allIds = [...ids];
  for (const batch of splitIntoBatches(allIds))
    await tx
      .$extendTables<CalendarTables>()
      .updateTable('calendar_event')
      .set({ deleted: now, revision: revision.last, content_revision: revision.last })
      .where('account', '=', account)
      .where('id', 'in', batch)
      .execute();
  await removePlacements(tx, search, allIds);
  await edits.add(tx, allIds, { type: 'deleted', at: now, address: author.address });
  const parents = [...rows.values()].map(({ parent }) => parent);
  await touchParents(
    tx,
    account,
    parents.filter((parent) => parent !== null && !ids.has(parent)),
    revision,
  );
}

/** Moves new events to the bin that were in it when they were exported. */
export async function moveToBin(
  tx: Transaction<unknown>,
  search: Stores['search'],
  events: readonly { readonly id: number; readonly deleted: number }[],
): Promise<void> {
  const eventsByTime = Map.groupBy(events, ({ deleted }) => deleted);
  for (const [deleted, group] of eventsByTime)
    for (const batch of splitIntoBatches(group.map(({ id }) => id)))
      await tx
        .$extendTables<CalendarTables>()
        .updateTable('calendar_event')
        .set({ deleted })
        .where('id', 'in', batch)
        .execute();
  await removePlacements(
    tx,
    search,
    events.map(({ id }) => id),
  );
}

const selectBin = (db: DbOrTransaction, account: number) =>
  db
    .$extendTables<CalendarTables>()
    .selectFrom('calendar_event')
    .selectAll()
    .where('account', '=', account)
    .where('deleted', 'is not', null)
    .where('subscription', 'is', null);

const MAX_LISTED_EVENTS = 1000;

/** Lists the bin, newest first, without changed days that were deleted together with their event. */
export async function readBin(
  db: DbOrTransaction,
  account: number,
): Promise<readonly { readonly event: CalendarEvent; readonly deleted: number }[]> {
  const rows = await selectBin(db, account)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('calendar_event as parent')
            .select('parent.id')
            .whereRef('parent.id', '=', 'calendar_event.parent')
            .whereRef('parent.deleted', '=', 'calendar_event.deleted'),
        ),
      ),
    )
    .orderBy('deleted', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_LISTED_EVENTS)
    .execute();
  const events = await toEvents(db, rows);
  return events.map((event, index) => ({ event, deleted: rows[index]?.deleted ?? 0 }));
}

/** Chooses new names for a deleted event if another event has taken them meanwhile. */
async function chooseFreeNames(tx: Transaction<unknown>, { account, uid, resource, parent }: EventRow) {
  if (parent !== null) return { uid, resource };
  const taken = await tx
    .$extendTables<CalendarTables>()
    .selectFrom('calendar_event')
    .select('id')
    .where('account', '=', account)
    .where('deleted', 'is', null)
    .where('subscription', 'is', null)
    .where((eb) => eb.or([eb('uid', '=', uid), eb('resource', '=', resource)]))
    .executeTakeFirst();
  if (!taken) return { uid, resource };
  const free = randomUUID();
  return { uid: free, resource: `${free}.ics` };
}

/** Columns of a changed day that becomes an event of its own. */
const NO_PARENT = { parent: null, replaces: null } as const;

/** Restores an event and the changed days that were deleted with it. @throws Refusal */
export async function restoreEvent(
  tx: Transaction<unknown>,
  { revisions, edits, search }: Stores,
  id: number,
  { account, author, now }: WriteContext,
): Promise<CalendarEvent> {
  const tables = tx.$extendTables<CalendarTables>();
  const revision = await revisions.raise(tx, account, 1);
  const row = await selectBin(tx, account).where('id', '=', id).executeTakeFirst();
  if (!row)
    throw new Refusal('calendar.not_in_bin', 'There is no such event in the bin. It may have been restored already');
  const isOrphan = row.parent === null || !(await readRows(tx, account, [row.parent])).has(row.parent);
  const restoredRow = isOrphan ? { ...row, ...NO_PARENT } : row;
  const children = await selectBin(tx, account).where('parent', '=', id).where('deleted', '=', row.deleted).execute();
  const restoredColumns = { deleted: null, revision: revision.last, content_revision: revision.last };
  const restored = [
    { ...restoredRow, ...(await chooseFreeNames(tx, restoredRow)), ...restoredColumns },
    ...children.map((child) => ({ ...child, ...restoredColumns })),
  ];
  for (const { id: eventId, parent, replaces, uid, resource } of restored)
    await tables
      .updateTable('calendar_event')
      .set({ ...restoredColumns, parent, replaces, uid, resource })
      .where('account', '=', account)
      .where('id', '=', eventId)
      .execute();
  const events = await toEvents(tx, restored);
  await insertPlacements(tx, search, account, events);
  await edits.add(
    tx,
    restored.map((restoredEvent) => restoredEvent.id),
    { type: 'restored', at: now, address: author.address },
  );
  await touchParents(tx, account, [restoredRow.parent], revision);
  const [event] = events;
  if (!event) throw new Error('a row is no event');
  return event;
}

interface PurgeOptions {
  readonly account: number;
  readonly now: number;
  readonly id?: number | undefined;
  /** Only what was deleted before this time. */
  readonly before?: number;
}

/** Permanently removes events from the bin and stores tombstones. Returns their number. */
export async function purgeBin(tx: Transaction<unknown>, { account, now, id, before }: PurgeOptions): Promise<number> {
  let rows = selectBin(tx, account);
  if (id !== undefined) rows = rows.where('id', '=', id);
  if (before !== undefined) rows = rows.where('deleted', '<', before);
  const purgedRows = await rows.clearSelect().select(['id', 'resource', 'revision', 'parent']).execute();
  await insertTombstones(
    tx,
    account,
    now,
    purgedRows.filter(({ parent }) => parent === null),
  );
  // Changed days first, because removing their event would cascade to them.
  const ids = purgedRows.toSorted((one, other) => Number(one.parent === null) - Number(other.parent === null));
  for (const batch of splitIntoBatches(ids.map((row) => row.id)))
    await tx
      .$extendTables<CalendarTables>()
      .deleteFrom('calendar_event')
      .where('account', '=', account)
      .where('id', 'in', batch)
      .execute();
  return purgedRows.filter(({ parent }) => parent === null || !purgedRows.some((row) => row.id === parent)).length;
}

/** Permanently removes events of subscriptions. Ignores other events. */
export async function purgeEvents(
  tx: Transaction<unknown>,
  { revisions, search }: Stores,
  account: number,
  events: readonly number[],
): Promise<void> {
  await revisions.raise(tx, account, 1);
  const rows = [...(await readRows(tx, account, events)).values()];
  const ids = rows.filter(({ subscription }) => subscription !== null).map(({ id }) => id);
  await removePlacements(tx, search, ids);
  for (const batch of splitIntoBatches(ids))
    await tx
      .$extendTables<CalendarTables>()
      .deleteFrom('calendar_event')
      .where('account', '=', account)
      .where('id', 'in', batch)
      .execute();
}
