import { randomUUID } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import { isPostgres } from '#platform/server/database/columns.ts';
import { CHANGED_ELSEWHERE, MAX_EVENTS_PER_ACCOUNT } from '#tools/calendar/contract/events.ts';
import { getPlacement } from '#tools/calendar/repeat/domain/placement.ts';
import type { CalendarEvent, EventDraft } from '../../domain/event.ts';
import { normalizeDraft } from '../../domain/eventDraft.ts';
import type { Author, Change } from '../calendar.ts';
import type { RevisionStore, EditStore } from './editStore.ts';
import { toDraftColumns, toEvent } from './eventRows.ts';
import { readRows } from './eventStore.ts';
import { removePlacements, insertPlacements, type SearchIndex } from './placeEvents.ts';
import { splitIntoBatches, SOURCE_FORMAT, type EventRow, type CalendarTables } from './tables.ts';
import type { TagStore } from './tagStore.ts';

async function countEvents(tx: Transaction<unknown>, account: number): Promise<number> {
  const { events } = await tx
    .$extendTables<CalendarTables>()
    .selectFrom('calendar_event')
    .select((eb) => eb.fn.countAll<number>().as('events'))
    .where('account', '=', account)
    .executeTakeFirstOrThrow();
  return events;
}

/** Enforces the event limit of accounts without counting events at every save. */
export function createEventLimit() {
  /** Upper bound of the number of events, by account. */
  const maxCountByAccount = new Map<number, number>();

  return {
    /** Reserves capacity for new events. @throws Refusal if the account would exceed its limit */
    reserve: async (tx: Transaction<unknown>, account: number, more: number): Promise<void> => {
      if (more === 0) return;
      let count = maxCountByAccount.get(account) ?? MAX_EVENTS_PER_ACCOUNT;
      if (count + more > MAX_EVENTS_PER_ACCOUNT) count = await countEvents(tx, account);
      if (count + more > MAX_EVENTS_PER_ACCOUNT)
        throw new Refusal(
          'calendar.too_many_events',
          `Your calendar has the maximum of ${MAX_EVENTS_PER_ACCOUNT.toLocaleString('en')} events, including the bin. Empty the bin, or delete some events`,
        );
      maxCountByAccount.set(account, count + more);
    },
  };
}
export type EventLimit = ReturnType<typeof createEventLimit>;

export const EVENT_NOT_FOUND_MESSAGE = 'There is no such event. It may have been deleted';
export const READ_ONLY_MESSAGE = "This event is from a subscribed calendar and can't be changed here";

export interface Stores {
  readonly revisions: RevisionStore;
  readonly tags: TagStore;
  readonly edits: EditStore;
  readonly search: SearchIndex;
  readonly eventLimit: EventLimit;
}

/** The author of a change, its time, and its type in the history. */
export interface WriteContext {
  readonly account: number;
  readonly author: Author;
  readonly now: number;
  /** Overrides the type that the author's changes have. */
  readonly type?: 'moved';
}

/**
 * Validates that an event can be changed.
 * @throws Refusal if it does not exist, changed after `seenRevision`, or is subscribed
 */
export function validateChangeable(
  row: EventRow | undefined,
  seenRevision: number | undefined,
  { author }: Pick<WriteContext, 'author'>,
): EventRow {
  if (!row) throw new Refusal('calendar.event_not_found', EVENT_NOT_FOUND_MESSAGE);
  if (row.subscription !== null && author.by !== 'subscription')
    throw new Refusal('calendar.read_only', READ_ONLY_MESSAGE);
  if (seenRevision !== undefined && (seenRevision < row.content_revision || seenRevision > row.revision))
    throw new Refusal('calendar.conflict', CHANGED_ELSEWHERE);
  return row;
}

/** Raises the revision of repeats whose changed days were changed, unless this transaction saved them. */
export async function touchParents(
  tx: Transaction<unknown>,
  account: number,
  parents: readonly (number | null | undefined)[],
  { last, before }: { readonly last: number; readonly before: number },
): Promise<void> {
  const ids = [...new Set(parents.filter((parent) => typeof parent === 'number'))];
  for (const batch of splitIntoBatches(ids))
    await tx
      .$extendTables<CalendarTables>()
      .updateTable('calendar_event')
      .set({ revision: last, content_revision: last })
      .where('account', '=', account)
      .where('id', 'in', batch)
      .where('revision', '<=', before)
      .execute();
}

/**
 * Moves the days that changed days of a repeat replace, by as many days as its exceptions were moved. `event` is the
 * repeat before it was moved.
 */
export async function shiftReplacedDays(tx: Transaction<unknown>, event: CalendarEvent, days: number): Promise<void> {
  if (days === 0) return;
  const tables = tx.$extendTables<CalendarTables>();
  const children = await tables
    .selectFrom('calendar_event')
    .select(['id', 'replaces'])
    .where('parent', '=', event.id)
    .execute();
  const exceptionDays = new Set(event.exceptions);
  const ids = children.flatMap(({ id, replaces }) => (replaces !== null && exceptionDays.has(replaces) ? [id] : []));
  for (const batch of splitIntoBatches(ids))
    await tables
      .updateTable('calendar_event')
      .set((eb) => ({ replaces: eb('replaces', '+', days) }))
      .where('id', 'in', batch)
      .execute();
}

interface SavePlan {
  readonly change: Change;
  readonly draft: EventDraft;
  readonly revision: number;
  /** The stored row; undefined for a new event. */
  readonly row: EventRow | undefined;
}

type NewRow = Omit<EventRow, 'id'>;

const toResource = (uid: string): string => (/^[\w.@-]{1,200}$/.test(uid) ? `${uid}.ics` : `${randomUUID()}.ics`);

function createNames({ uid, resource }: Change): { readonly uid: string; readonly resource: string } {
  const storedUid = replaceUnstorable(uid ?? randomUUID());
  return { uid: storedUid, resource: resource === undefined ? toResource(storedUid) : replaceUnstorable(resource) };
}

const toNames = (row: EventRow | undefined, change: Change) =>
  row ? { uid: row.uid, resource: row.resource, created: row.created } : { ...createNames(change), created: undefined };

/** Returns when an event was created and edited. `created` is that of the stored row. */
const toTimes = ({ past }: Change, created: number | undefined, { now }: WriteContext) => ({
  created: created ?? past?.created ?? now,
  edited: past?.edited ?? now,
});

/** Creates the row of a plan. The UID and the resource of an event never change. */
function toRow(
  { change, draft, revision, row }: SavePlan,
  ids: ReadonlyMap<string, number>,
  writeContext: WriteContext,
): NewRow {
  const { created, ...names } = toNames(row, change);
  return {
    account: writeContext.account,
    ...names,
    ...toDraftColumns(draft),
    until_day: getPlacement(draft).until,
    pinned: draft.pinned === undefined ? null : (ids.get(draft.pinned) ?? null),
    subscription: row ? row.subscription : (change.subscription ?? null),
    parent: row ? row.parent : (change.parent ?? null),
    replaces: row ? row.replaces : (change.replaces ?? null),
    ...toTimes(change, created, writeContext),
    revision,
    content_revision: revision,
    deleted: null,
  };
}

const COLUMN_COUNT = 34;

/** Inserts rows. Returns their ids in order. */
async function insertRows(tx: Transaction<unknown>, rows: readonly NewRow[]): Promise<readonly number[]> {
  const idByRevision = new Map<number, number>();
  for (const batch of splitIntoBatches(rows, COLUMN_COUNT)) {
    const ids = await tx
      .$extendTables<CalendarTables>()
      .insertInto('calendar_event')
      .values(batch)
      .returning(['id', 'revision'])
      .execute();
    for (const { id, revision } of ids) idByRevision.set(revision, id);
  }
  return rows.map(({ revision }) => idByRevision.get(revision) ?? 0);
}

/**
 * Overwrites rows by id in one upsert, because no UPDATE does this on both databases. The caller has locked the
 * row of the account.
 */
async function updateRows(tx: Transaction<unknown>, rows: readonly EventRow[]): Promise<void> {
  for (const batch of splitIntoBatches(rows, COLUMN_COUNT)) {
    const [first] = batch;
    if (!first) return;
    // The keys of the type, in the order in which `toRow` writes them.
    const names = Object.keys(first) as (keyof EventRow)[];
    const changedNames = names.filter((name) => name !== 'id');
    const values = batch.map((row) => sql`(${sql.join(names.map((name) => row[name]))})`);
    const override = isPostgres(tx) ? sql` overriding system value` : sql``;
    await sql`insert into calendar_event (${sql.join(names.map((name) => sql.ref(name)))})${override}
      values ${sql.join(values)} on conflict (id) do update
      set ${sql.join(changedNames.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`))}`.execute(tx);
  }
}

interface SavedEvent {
  readonly plan: SavePlan;
  readonly event: CalendarEvent;
}

/** Removes the tags of events. Links to deleted tags stay, so that they return with the tag. */
async function removeLinks(tx: Transaction<unknown>, events: readonly number[]): Promise<void> {
  const tables = tx.$extendTables<CalendarTables>();
  for (const batch of splitIntoBatches(events)) {
    await tables
      .deleteFrom('calendar_event_tag')
      .where('event', 'in', batch)
      .where('tag', 'in', (tags) => tags.selectFrom('calendar_tag').select('id').where('deleted', 'is', null))
      .execute();
    await tables.deleteFrom('calendar_exception').where('event', 'in', batch).execute();
  }
}

async function insertLinks(
  tx: Transaction<unknown>,
  events: readonly CalendarEvent[],
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  const tables = tx.$extendTables<CalendarTables>();
  const tags = events.flatMap(({ id: event, tags: names }) =>
    names.flatMap((name, position) => {
      const tag = ids.get(name);
      return tag === undefined ? [] : [{ event, tag, position }];
    }),
  );
  for (const batch of splitIntoBatches(tags, 3)) await tables.insertInto('calendar_event_tag').values(batch).execute();
  const exceptions = events.flatMap(({ id: event, exceptions: days }) => days.map((day) => ({ event, day })));
  for (const batch of splitIntoBatches(exceptions, 2))
    await tables.insertInto('calendar_exception').values(batch).execute();
}

async function insertSources(tx: Transaction<unknown>, saved: readonly SavedEvent[]): Promise<void> {
  const tables = tx.$extendTables<CalendarTables>();
  const sources = saved.flatMap(({ plan, event: { id: event, revision } }) =>
    plan.change.source === undefined
      ? []
      : [
          {
            event,
            // The event may have been changed after an exported source.
            revision: plan.change.past === undefined ? revision : 0,
            text: replaceUnstorable(plan.change.source),
            format: SOURCE_FORMAT,
          },
        ],
  );
  for (const batch of splitIntoBatches(sources, 60)) {
    await tables
      .insertInto('calendar_source')
      .values(batch)
      .onConflict((conflict) =>
        conflict.column('event').doUpdateSet((eb) => ({
          revision: eb.ref('excluded.revision'),
          text: eb.ref('excluded.text'),
          format: eb.ref('excluded.format'),
        })),
      )
      .execute();
  }
}

/** Types of history entries for created and changed events, by author. */
const HISTORY_TYPES = {
  page: { created: 'created', changed: 'edited' },
  import: { created: 'imported', changed: 'imported' },
  caldav: { created: 'created', changed: 'caldav' },
  // Hourly refreshes would fill the history.
  subscription: { created: 'subscription', changed: undefined },
} as const;

async function insertEdits(
  tx: Transaction<unknown>,
  { edits }: Stores,
  saved: readonly SavedEvent[],
  { author, now, type }: WriteContext,
): Promise<void> {
  const { created, changed } = HISTORY_TYPES[author.by];
  const edit = { at: now, address: author.address };
  const listIds = (isNew: boolean) =>
    saved
      .filter(({ plan }) => (plan.row === undefined) === isNew && plan.change.past === undefined)
      .map(({ event }) => event.id);
  await edits.addHistories(
    tx,
    saved.flatMap(({ plan, event }) =>
      (plan.change.past?.history ?? []).map((entry) => ({ ...entry, event: event.id })),
    ),
  );
  await edits.add(tx, listIds(true), { ...edit, type: created });
  const historyType = type ?? changed;
  if (historyType !== undefined) await edits.add(tx, listIds(false), { ...edit, type: historyType });
}

/** Clears the tags of a subscription's event: its only tag is the subscription. */
function toStoredDraft(change: Change, row: EventRow | undefined): EventDraft {
  const draft = normalizeDraft(change.draft);
  const isSubscribed = (row?.subscription ?? change.subscription) !== undefined && (!row || row.subscription !== null);
  return isSubscribed ? { ...draft, tags: [], pinned: undefined } : draft;
}

async function createPlans(
  tx: Transaction<unknown>,
  changes: readonly Change[],
  writeContext: WriteContext,
  last: number,
): Promise<readonly SavePlan[]> {
  const existingIds = changes.filter(({ id }) => id !== 0).map(({ id }) => id);
  if (new Set(existingIds).size < existingIds.length) throw new Error('one event is changed twice at once');
  const rows =
    existingIds.length === 0 ? new Map<number, EventRow>() : await readRows(tx, writeContext.account, existingIds);
  return changes.map((change, index) => {
    const row =
      change.id === 0 ? undefined : validateChangeable(rows.get(change.id), change.seenRevision, writeContext);
    return { change, draft: toStoredDraft(change, row), revision: last - changes.length + 1 + index, row };
  });
}

/** Creates and changes events, with few statements for many rows. @throws as `Calendar.save` */
export async function saveEvents(
  tx: Transaction<unknown>,
  stores: Stores,
  changes: readonly Change[],
  writeContext: WriteContext,
): Promise<readonly CalendarEvent[]> {
  const revision = await stores.revisions.raise(tx, writeContext.account, changes.length);
  const plans = await createPlans(tx, changes, writeContext, revision.last);
  const { idByName, restoredIds } = await stores.tags.findOrCreate(
    tx,
    writeContext.account,
    plans.flatMap(({ draft }) => draft.tags),
  );
  await stores.tags.touchEvents(tx, writeContext.account, restoredIds, revision.last);
  const rows = plans.map((plan) => ({ plan, row: toRow(plan, idByName, writeContext) }));
  const newPlans = rows.filter(({ plan }) => plan.row === undefined);
  await stores.eventLimit.reserve(tx, writeContext.account, newPlans.length);
  const newIds = await insertRows(
    tx,
    newPlans.map(({ row }) => row),
  );
  const idByPlan = new Map(newPlans.map(({ plan }, index) => [plan, newIds[index] ?? 0]));
  const changed = rows.flatMap(({ plan, row }) => (plan.row ? [{ id: plan.row.id, row }] : []));
  await updateRows(
    tx,
    changed.map(({ id, row }) => ({ id, ...row })),
  );
  const saved = rows.map(({ plan, row }) => ({
    plan,
    event: toEvent({ ...row, id: plan.row?.id ?? idByPlan.get(plan) ?? 0 }, plan.draft),
  }));
  const events = saved.map(({ event }) => event);
  const changedIds = changed.map(({ id }) => id);
  await removeLinks(tx, changedIds);
  await removePlacements(tx, stores.search, changedIds);
  await insertLinks(tx, events, idByName);
  await insertPlacements(tx, stores.search, writeContext.account, events);
  await insertSources(tx, saved);
  await insertEdits(tx, stores, saved, writeContext);
  await touchParents(
    tx,
    writeContext.account,
    events.map(({ parent }) => parent),
    revision,
  );
  return events;
}
