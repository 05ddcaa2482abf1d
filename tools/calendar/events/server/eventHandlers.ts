import type { Transaction } from 'kysely';
import { type Day, FIRST_DAY } from '#platform/contract/day.ts';
import { DAY_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { type ServerContext, handle, type Handler } from '#platform/server/tool.ts';
import {
  deleteevent,
  getevent,
  moveevent,
  newevent,
  BIN_DAYS,
  deletedevents,
  emptybin,
  restoreevent,
  changetag,
  restoretag,
  settags,
} from '../../contract/events.ts';
import { findNextDay } from '../../repeat/domain/placement.ts';
import { parseDay, toWire } from '../domain/day.ts';
import { getStyle, type CalendarEvent, type EventDraft } from '../domain/event.ts';
import { normalizeTag } from '../domain/eventDraft.ts';
import { shiftEvent } from '../domain/shiftEvent.ts';
import { isReservedTag } from '../domain/tags.ts';
import { findNamedZone, type Zone } from '../domain/timeZone.ts';
import type { Author, Change, CalendarWithStores } from './calendar.ts';
import { toDraft, parseSentDay, type SentEvent } from './eventWire.ts';
import { createWireEventLoader } from './listEntries.ts';
import { removeEvents, purgeBin, readBin, restoreEvent } from './store/binStore.ts';
import { toEvents, readRows } from './store/eventStore.ts';
import {
  validateChangeable,
  EVENT_NOT_FOUND_MESSAGE,
  saveEvents,
  shiftReplacedDays,
  type WriteContext,
} from './store/saveEvents.ts';
import { filterLiveTags, type UserTag } from './store/tagStore.ts';
import { getToday, findOccurrence } from './viewerDays.ts';

const formatIso = (ms: number): string => new Date(ms).toISOString();

/** Returns the time before which deleted events count as removed, even before the nightly cleanup. */
export function getBinStart(now: number): number {
  return now - BIN_DAYS * DAY_MS;
}

export function createBinHandlers(context: ServerContext, calendar: CalendarWithStores): readonly Handler[] {
  const { database, now } = context;
  const { stores } = calendar;
  const loadWireEvent = createWireEventLoader(context, stores);

  return [
    handle(deletedevents, async (_request, { account }) => {
      const binStart = getBinStart(now().epochMilliseconds);
      const events = (await readBin(database.db, account)).filter(({ deleted }) => deleted >= binStart);
      const tags = (await stores.tags.listUserTags(account)).flatMap(({ name, colour, deleted }) =>
        deleted === undefined || deleted < binStart ? [] : [{ name, colour, deleted }],
      );
      return {
        events: events.map(({ event: { id, name, day, pattern }, deleted }) => ({
          id,
          name,
          date: toWire(day),
          type: getStyle(pattern),
          deleted: formatIso(deleted),
        })),
        tags: tags
          .toSorted((one, other) => other.deleted - one.deleted)
          .map(({ deleted, ...tag }) => ({ ...tag, deleted: formatIso(deleted) })),
      };
    }),
    handle(restoreevent, async ({ id }, { account, address }) => {
      const writeContext = { account, author: { address, by: 'page' }, now: now().epochMilliseconds } as const;
      const event = await calendar.change(account, undefined, async (tx) => restoreEvent(tx, stores, id, writeContext));
      return { data: await loadWireEvent(account, event) };
    }),
    handle(emptybin, async ({ id }, { account }) =>
      calendar.change(account, undefined, async (tx) => {
        await stores.revisions.raise(tx, account, 1);
        const time = now().epochMilliseconds;
        const events = await purgeBin(tx, { account, now: time, id });
        const tags = id === undefined ? await stores.tags.purge(tx, { account, before: Number.MAX_SAFE_INTEGER }) : 0;
        return { removed: events + tags };
      }),
    ),
  ];
}

const COLOUR_PATTERN = /^#[0-9a-f]{6}$/i;

function validateColour(colour: string): string {
  if (!COLOUR_PATTERN.test(colour))
    throw new Refusal('calendar.invalid_colour', 'colour: must be written like #3B82C4');
  return colour.toUpperCase();
}

/** Returns the normalized new name of a tag. @throws Refusal if it is reserved or taken */
function normalizeTagName(text: string, tag: UserTag, others: readonly UserTag[]): string {
  const name = normalizeTag(text);
  if (isReservedTag(name)) throw new Refusal('calendar.tag_reserved', `${name} is a built-in tag. Choose another name`);
  const same = others.find((other) => other.name === name && other.id !== tag.id);
  if (same?.deleted !== undefined)
    throw new Refusal(
      'calendar.tag_deleted_exists',
      `There is already a deleted tag called ${name}. Restore it, or choose another name`,
    );
  if (same) throw new Refusal('calendar.tag_exists', `There is already a tag called ${name}. Choose another name`);
  return name;
}

export function createTagHandlers({ now }: ServerContext, calendar: CalendarWithStores): readonly Handler[] {
  const { revisions, tags } = calendar.stores;

  async function findTag(tx: Transaction<unknown>, account: number, text: string) {
    const userTags = await tags.listUserTags(account, tx);
    return { userTags, tag: userTags.find(({ name }) => name === text.trim()) };
  }

  return [
    handle(settags, async ({ tags: names }, { account, session }) => {
      const remaining = new Set(names.map((name) => name.trim()));
      const newest = await tags.getNewestSentTag(session);
      const listDeletable = (userTags: readonly UserTag[]) =>
        filterLiveTags(userTags).filter(({ id, name }) => id <= newest && !remaining.has(name));
      // Usually no tag is deleted. Then nothing is written, and no page is notified.
      if (listDeletable(await tags.listUserTags(account)).length === 0) return;
      await calendar.change(account, undefined, async (tx) => {
        const { last } = await revisions.raise(tx, account, 1);
        const ids = listDeletable(await tags.listUserTags(account, tx)).map(({ id }) => id);
        await tags.touchEvents(tx, account, ids, last);
        await tags.update(tx, account, { ids, deleted: now().epochMilliseconds });
      });
    }),
    handle(changetag, async ({ name, colour, newname }, { account, session }) => {
      await calendar.change(account, undefined, async (tx) => {
        const { last } = await revisions.raise(tx, account, 1);
        const { userTags, tag } = await findTag(tx, account, name);
        if (isReservedTag(name.trim())) throw new Refusal('calendar.tag_built_in', "Built-in tags can't be changed");
        if (tag === undefined || tag.deleted !== undefined)
          throw new Refusal('calendar.tag_not_found', 'There is no such tag. It may have been deleted');
        const ids = [tag.id];
        if (colour !== undefined) await tags.update(tx, account, { ids, colour: validateColour(colour) });
        if (newname === undefined) return;
        await tags.update(tx, account, { ids, name: normalizeTagName(newname, tag, userTags) });
        await tags.touchEvents(tx, account, ids, last);
      });
      return { tags: await tags.list(account, session) };
    }),
    handle(restoretag, async ({ name }, { account, session }) => {
      await calendar.change(account, undefined, async (tx) => {
        const { last } = await revisions.raise(tx, account, 1);
        const { tag } = await findTag(tx, account, name);
        if (tag?.deleted === undefined)
          throw new Refusal(
            'calendar.tag_not_found',
            'There is no such deleted tag. It may have been restored already',
          );
        await tags.update(tx, account, { ids: [tag.id], deleted: null });
        await tags.touchEvents(tx, account, [tag.id], last);
      });
      return { tags: await tags.list(account, session) };
    }),
  ];
}

/** Parses an event id. Special ids and invalid texts become 0, which belongs to no event. */
const parseEventId = (text: string): number => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0);
const MAX_ID = 2 ** 31 - 1;

const isRepeat = ({ pattern }: EventDraft): boolean => getStyle(pattern) === 'repeat';

const hasDays = (draft: EventDraft): boolean => findNextDay(draft, FIRST_DAY) !== undefined;

/** Converts a viewer's day to the event's own day on which that occurrence starts. @throws Refusal */
function toOwnDay(event: EventDraft, day: Day, viewer: Zone | undefined, field: string): Day {
  const occurrence = findOccurrence(event, day, viewer);
  if (!occurrence) throw new Refusal('calendar.not_on_date', `${field}: the event does not take place on that date`);
  return occurrence.own;
}

/** Returns the event's own day on which the occurrence starts whose times a page sent. */
function findReferenceDay(event: CalendarEvent, { occurrence }: SentEvent, viewer: Zone | undefined): Day {
  const day = occurrence === undefined ? undefined : parseDay(occurrence);
  return (day === undefined ? undefined : findOccurrence(event, day, viewer)?.own) ?? event.day;
}

/** Returns one occurrence of a repeat as an event of its own. */
const toSingleEvent = (
  { name, description, time, endTime, endDays, zone, tags, pinned }: CalendarEvent,
  day: Day,
): EventDraft => ({
  name,
  description,
  day,
  time,
  endTime,
  endDays,
  zone,
  pattern: { kind: 'single' },
  exceptions: [],
  tags,
  pinned,
});

export function createEventHandlers(context: ServerContext, calendar: CalendarWithStores): readonly Handler[] {
  const { now } = context;
  const { stores } = calendar;
  const loadWireEvent = createWireEventLoader(context, stores);

  function createWriteContext(account: number, address: string): WriteContext {
    const author: Author = { address, by: 'page' };
    return { account, author, now: now().epochMilliseconds };
  }

  const findViewerZone = async (account: number, tz: string | undefined): Promise<Zone | undefined> =>
    findNamedZone(await context.identity.resolveZone(account, tz));

  /** Reads an event after locking the account. @throws as `Calendar.save` */
  async function lockEvent(
    tx: Transaction<unknown>,
    { id, revision }: { readonly id: number; readonly revision?: number | undefined },
    writeContext: WriteContext,
  ): Promise<CalendarEvent> {
    await stores.revisions.raise(tx, writeContext.account, 0);
    const row = validateChangeable((await readRows(tx, writeContext.account, [id])).get(id), revision, writeContext);
    const [event] = await toEvents(tx, [row]);
    if (!event) throw new Error('a row is no event');
    return event;
  }

  async function save(
    tx: Transaction<unknown>,
    changes: readonly Change[],
    writeContext: WriteContext,
  ): Promise<CalendarEvent> {
    const saved = (await saveEvents(tx, stores, changes, writeContext)).at(-1);
    if (!saved) throw new Error('nothing was saved');
    return saved;
  }

  /** Adds an exception to a repeat. Moves the event to the bin if it then has no days. */
  async function addException(
    tx: Transaction<unknown>,
    event: CalendarEvent,
    day: Day,
    writeContext: WriteContext,
  ): Promise<void> {
    const draft = { ...event, exceptions: [...event.exceptions, day] };
    if (hasDays(draft)) await save(tx, [{ id: event.id, draft }], writeContext);
    else await removeEvents(tx, stores, [{ id: event.id }], writeContext);
  }

  /** Lists names of tags that users can't give to an event. */
  async function listSubscribedTagNames(tx: Transaction<unknown>, account: number): Promise<ReadonlySet<string>> {
    const userTags = await stores.tags.listUserTags(account, tx);
    return new Set((await stores.tags.listSubscribedTags(account, userTags, tx)).map(({ name }) => name));
  }

  return [
    handle(getevent, async ({ id: eventId, date, width, tz }, { account, address }) => {
      const event = await calendar.read(account, parseEventId(eventId));
      if (!event) throw new Refusal('calendar.event_not_found', EVENT_NOT_FOUND_MESSAGE);
      await stores.edits.recordAccess(account, event.id, { at: now().epochMilliseconds, address });
      const day = date === undefined ? undefined : parseDay(date);
      const occurrence =
        day === undefined ? undefined : findOccurrence(event, day, await findViewerZone(account, tz))?.own;
      return { data: await loadWireEvent(account, event, { width, occurrence, tz }) };
    }),
    handle(newevent, async ({ data }, { account, address, session }) => {
      const today = await getToday(context, account, data.tz);
      const viewer = await findViewerZone(account, data.tz);
      const writeContext = createWriteContext(account, address);
      const saved = await calendar.change(account, undefined, async (tx) => {
        if (data.id < 0 || data.id > MAX_ID) throw new Refusal('calendar.event_not_found', EVENT_NOT_FOUND_MESSAGE);
        const existing = data.id === 0 ? undefined : await lockEvent(tx, data, writeContext);
        const ignored = await listSubscribedTagNames(tx, account);
        const reference = existing ? findReferenceDay(existing, data, viewer) : 0;
        const draft = toDraft(data, { today, viewer, reference, existing, ignored });
        const event = await save(tx, [{ id: data.id, draft }], writeContext);
        if (existing?.pattern.kind === 'foreign') await shiftReplacedDays(tx, existing, event.day - existing.day);
        if (!hasDays(event))
          throw new Refusal('calendar.repeat_empty', 'This repeat has no dates. Check its start and end');
        return event;
      });
      await stores.tags.markEventTagsSent(session, account, saved.tags);
      return { data: await loadWireEvent(account, saved, { tz: data.tz }) };
    }),
    handle(moveevent, async ({ id, from: fromText, to: toText, only, revision, tz }, { account, address }) => {
      const viewer = await findViewerZone(account, tz);
      const [from, to] = [parseSentDay(fromText, 'from'), parseSentDay(toText, 'to')];
      const writeContext = createWriteContext(account, address);
      const movedEvent = await calendar.change(account, undefined, async (tx) => {
        const event = await lockEvent(tx, { id, revision }, writeContext);
        const ownDay = toOwnDay(event, from, viewer, 'from');
        if (from === to) return event;
        if (only !== true || !isRepeat(event)) {
          await shiftReplacedDays(tx, event, to - from);
          const draft = { ...event, ...shiftEvent(event, to - from) };
          return save(tx, [{ id, draft }], { ...writeContext, type: 'moved' });
        }
        await addException(tx, event, ownDay, writeContext);
        return save(tx, [{ id: 0, draft: toSingleEvent(event, ownDay + to - from) }], writeContext);
      });
      return { data: await loadWireEvent(account, movedEvent, { tz }) };
    }),
    handle(deleteevent, async ({ id, occurrence, revision, tz }, { account, address }) => {
      const writeContext = createWriteContext(account, address);
      const day = occurrence === undefined ? undefined : parseSentDay(occurrence, 'occurrence');
      const viewer = day === undefined ? undefined : await findViewerZone(account, tz);
      return calendar.change(account, undefined, async (tx) => {
        const event = await lockEvent(tx, { id, revision }, writeContext);
        if (day === undefined) await removeEvents(tx, stores, [{ id }], writeContext);
        else {
          if (!isRepeat(event))
            throw new Refusal('calendar.not_a_repeat', 'occurrence: only a repeating event has single days to delete');
          await addException(tx, event, toOwnDay(event, day, viewer, 'occurrence'), writeContext);
        }
        return { revision: await stores.revisions.getRevision(account, tx) };
      });
    }),
  ];
}
