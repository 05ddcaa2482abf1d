import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from 'kysely';
import type { Day } from '#platform/contract/day.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { toLocalDay } from '../../events/domain/day.ts';
import type { CalendarEvent, EventDraft } from '../../events/domain/event.ts';
import { normalizeDraft } from '../../events/domain/eventDraft.ts';
import { shiftEvent } from '../../events/domain/shiftEvent.ts';
import { findNamedZone, type Zone } from '../../events/domain/timeZone.ts';
import type { Author, Change, CalendarWithStores } from '../../events/server/calendar.ts';
import { toDraftColumns } from '../../events/server/store/eventRows.ts';
import { toEvents, readSources } from '../../events/server/store/eventStore.ts';
import { saveEvents } from '../../events/server/store/saveEvents.ts';
import { splitIntoBatches, SOURCE_FORMAT, type CalendarTables } from '../../events/server/store/tables.ts';
import { getOwnDay, toViewerDay, getViewerTimes } from '../../events/server/viewerDays.ts';
import { getPlacement } from '../../repeat/domain/placement.ts';
import { readObject, type ParsedEvent, type IcsReadOptions } from './ics/readIcs.ts';

/** No user made the change, so it is not in the history. */
const AUTHOR: Author = { address: '', by: 'subscription' };
const BATCH_SIZE = 100;

type Timing = Pick<EventDraft, 'day' | 'time' | 'endTime' | 'endDays' | 'zone' | 'pattern' | 'exceptions'>;

const toTiming = ({ day, time, endTime, endDays = 0, zone, pattern, exceptions }: EventDraft): Timing => ({
  day,
  time,
  endTime,
  endDays,
  zone,
  pattern,
  exceptions,
});

const isSamePattern = (event: EventDraft, source: EventDraft): boolean =>
  event.pattern.kind === 'foreign' && source.pattern.kind === 'foreign'
    ? event.pattern.rule === source.pattern.rule
    : isDeepStrictEqual(shiftEvent(event, source.day - event.day).pattern, source.pattern);

/** Returns the event in the zone of its source. Undefined if its times were changed since. */
function toSourceZone(event: EventDraft, source: EventDraft, home: Zone | undefined): Timing | undefined {
  if (event.zone !== undefined || source.zone === undefined || event.time === undefined) return undefined;
  const { day, time, endTime, endDay } = getViewerTimes(source, source.day, home);
  const isSame = isDeepStrictEqual([event.day, event.time, event.endTime, event.day], [day, time, endTime, endDay]);
  if (!isSame || !isSamePattern(event, source)) return undefined;
  return { ...toTiming(source), exceptions: event.exceptions.map((exception) => getOwnDay(source, exception, home)) };
}

interface RereadEvent {
  readonly event: CalendarEvent;
  readonly children: readonly CalendarEvent[];
  readonly sourceEvent: ParsedEvent;
  /** Whether the event still equals its source. */
  readonly isUnedited: boolean;
  readonly source: string;
  readonly home: Zone | undefined;
  /** Ids of events in the bin. */
  readonly binned: ReadonlySet<number>;
}

interface Batch {
  readonly account: number;
  readonly ids: readonly number[];
  readonly zone: string;
}

interface RereadPlan {
  readonly changes: readonly Change[];
  /** The replaced days in the repeat's own zone, by the id of the event that replaces them. */
  readonly replaces: ReadonlyMap<number, Day>;
}

function createPlan({ event, children, sourceEvent, isUnedited, source, home }: RereadEvent): RereadPlan {
  const getTiming = (stored: EventDraft, draft: EventDraft): Timing | undefined =>
    isUnedited ? toTiming(draft) : toSourceZone(stored, draft, home);
  const applyTiming = (stored: CalendarEvent, draft: EventDraft): EventDraft => ({
    ...stored,
    ...getTiming(stored, draft),
  });
  const replaces = new Map<number, Day>();
  const childChanges = sourceEvent.overrides.flatMap(({ replaces: ownDay, draft }) => {
    const day = toViewerDay(sourceEvent.draft, ownDay, home);
    const child = children.find((candidate) => candidate.replaces === day);
    if (!child) return [];
    replaces.set(child.id, ownDay);
    return [{ id: child.id, draft: applyTiming(child, draft) }];
  });
  const eventChange = { id: event.id, draft: applyTiming(event, sourceEvent.draft), ...(isUnedited ? { source } : {}) };
  const before = [event, ...children].map((stored) => [stored.id, toTiming(stored), stored.replaces]);
  const after = new Map([eventChange, ...childChanges].map(({ id, draft }) => [id, toTiming(draft)]));
  const isSame = before.every(
    ([id, timing, day]) =>
      isDeepStrictEqual(after.get(Number(id)) ?? timing, timing) && (replaces.get(Number(id)) ?? day) === day,
  );
  return isSame ? { changes: [], replaces: new Map() } : { changes: [eventChange, ...childChanges], replaces };
}

function readSourceEvent(text: string, options: IcsReadOptions): ParsedEvent | undefined {
  try {
    return readObject(text, options).events[0];
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Saves an event that stays in the bin, without days and search texts. */
async function saveBinned(tx: Transaction<unknown>, id: number, changed: EventDraft): Promise<void> {
  const tables = tx.$extendTables<CalendarTables>();
  const draft = normalizeDraft(changed);
  const row = { ...toDraftColumns(draft), until_day: getPlacement(draft).until };
  await tables.updateTable('calendar_event').set(row).where('id', '=', id).execute();
  await tables.deleteFrom('calendar_exception').where('event', '=', id).execute();
  const days = draft.exceptions.map((day) => ({ event: id, day }));
  for (const batch of splitIntoBatches(days, 2)) await tables.insertInto('calendar_exception').values(batch).execute();
}

async function markRead(tx: Transaction<unknown>, ids: readonly number[]): Promise<void> {
  await tx
    .$extendTables<CalendarTables>()
    .updateTable('calendar_source')
    .set({ format: SOURCE_FORMAT })
    .where('event', 'in', ids)
    .execute();
}

/** Creates a task that parses stored sources again after a change of the parser. Ids, names and edits are preserved. */
export function createSourceReader({ database, identity, now, log }: ServerContext, calendar: CalendarWithStores) {
  const db = database.db.$extendTables<CalendarTables>();
  const { stores } = calendar;

  async function rereadEventWithChildren(
    tx: Transaction<unknown>,
    account: number,
    rereadEvent: RereadEvent,
  ): Promise<void> {
    const { changes, replaces } = createPlan(rereadEvent);
    if (changes.length === 0) return;
    const live = changes.filter(({ id }) => !rereadEvent.binned.has(id));
    if (live.length > 0) await saveEvents(tx, stores, live, { account, author: AUTHOR, now: rereadEvent.event.edited });
    for (const { id, draft } of changes) if (rereadEvent.binned.has(id)) await saveBinned(tx, id, draft);
    for (const [id, day] of replaces)
      await tx
        .$extendTables<CalendarTables>()
        .updateTable('calendar_event')
        .set({ replaces: day })
        .where('id', '=', id)
        .execute();
  }

  async function rereadBatch(tx: Transaction<unknown>, { account, ids, zone }: Batch): Promise<void> {
    await stores.revisions.raise(tx, account, 0);
    const today = toLocalDay(now().epochMilliseconds);
    const sources = await readSources(tx, account, ids);
    const all = tx
      .$extendTables<CalendarTables>()
      .selectFrom('calendar_event')
      .selectAll()
      .where('account', '=', account);
    const rows = await all.where('id', 'in', ids).execute();
    const childRows = await all.where('parent', 'in', ids).orderBy('id').execute();
    const binned = new Set([...rows, ...childRows].filter(({ deleted }) => deleted !== null).map(({ id }) => id));
    const children = Map.groupBy(
      // If two events replace one day, the one outside the bin comes first.
      (await toEvents(tx, childRows)).toSorted(
        (one, other) => Number(binned.has(one.id)) - Number(binned.has(other.id)),
      ),
      ({ parent }) => parent,
    );
    for (const event of await toEvents(tx, rows)) {
      const source = sources.get(event.id);
      const sourceEvent = source && readSourceEvent(source.text, { zone, today });
      if (!source || !sourceEvent) continue;
      const isUnedited = source.revision === event.revision;
      await rereadEventWithChildren(tx, account, {
        event,
        children: children.get(event.id) ?? [],
        sourceEvent,
        isUnedited,
        source: source.text,
        home: findNamedZone(zone),
        binned,
      });
    }
    await markRead(tx, ids);
  }

  const rereadInQueue = async (batch: Batch): Promise<void> =>
    calendar.runInOrder(batch.account, async () =>
      calendar.change(batch.account, undefined, async (tx) => rereadBatch(tx, batch)),
    );

  /** Logs an event that can't be read again and marks it, so that it isn't tried every night. */
  async function rereadAlone(batch: Batch): Promise<void> {
    try {
      await rereadInQueue(batch);
    } catch (error) {
      log.error({ err: error, account: batch.account, event: batch.ids[0] }, 'calendar.source.reread_failed');
      await database.transaction(async ({ tx }) => markRead(tx, batch.ids));
    }
  }

  /** Reads each event of a failed batch in its own transaction, to find the faulty one. */
  async function rereadEach(batch: Batch): Promise<void> {
    for (const id of batch.ids) await rereadAlone({ ...batch, ids: [id] });
  }

  const listUnreadSources = async () =>
    db
      .selectFrom('calendar_source as source')
      .innerJoin('calendar_event as event', 'event.id', 'source.event')
      .select(['source.event', 'event.account'])
      .where('source.format', '<', SOURCE_FORMAT)
      .orderBy('event.account')
      .orderBy('source.event')
      .limit(BATCH_SIZE)
      .execute();

  return async (): Promise<void> => {
    for (let rows = await listUnreadSources(); rows.length > 0; rows = await listUnreadSources())
      for (const [account, accountRows] of Map.groupBy(rows, (row) => row.account)) {
        const batch = {
          account,
          ids: accountRows.map(({ event }) => event),
          zone: await identity.resolveZone(account),
        };
        await rereadInQueue(batch).catch(async () => rereadEach(batch));
      }
  };
}
