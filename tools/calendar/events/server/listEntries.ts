import type * as z from 'zod/mini';
import { toIso, type Day } from '#platform/contract/day.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { type durationEntry, repeatUnits, styles } from '../../contract/events.ts';
import {
  toEventFields,
  getLastDay,
  getDayPart,
  type DayPart,
  type Occurrence,
} from '../../repeat/domain/occurrence.ts';
import { toLocalDay, toWire } from '../domain/day.ts';
import { groupIntoBins, countBins } from '../domain/editHistory.ts';
import type { Style, CalendarEvent } from '../domain/event.ts';
import type { Entry } from '../domain/eventPage.ts';
import { TRANSPARENT } from '../domain/tags.ts';
import { findNamedZone } from '../domain/timeZone.ts';
import { type WireEvent, toWireEvent } from './eventWire.ts';
import { getMainColour, type ListedEvent } from './store/eventListStore.ts';
import type { Stores } from './store/saveEvents.ts';

interface EventQuery {
  readonly width?: string | undefined;
  /** The event's own day on which the occurrence starts. */
  readonly occurrence?: Day | undefined;
  /** The zone of the answer. Defaults to the home zone. */
  readonly tz?: string | undefined;
}

/** Creates a function that loads the history and the subscription of an event, and converts it for the wire. */
export function createWireEventLoader(
  { identity, now }: Pick<ServerContext, 'identity' | 'now'>,
  { tags, edits }: Stores,
) {
  async function findSubscription(account: number, subscription: number | undefined) {
    if (subscription === undefined) return undefined;
    const subscribedTags = await tags.listSubscribedTags(account, await tags.listUserTags(account));
    const subscribedTag = subscribedTags.find(({ id }) => id === subscription);
    return subscribedTag && { tag: subscribedTag.name, name: subscribedTag.title };
  }
  return async (
    account: number,
    event: CalendarEvent,
    { width, occurrence, tz }: EventQuery = {},
  ): Promise<WireEvent> => {
    const history = await edits.list(account, event.id);
    const bins = groupIntoBins(history, {
      created: event.created,
      now: now().epochMilliseconds,
      bins: countBins(width),
    });
    const viewer = event.zone === undefined ? undefined : findNamedZone(await identity.resolveZone(account, tz));
    return toWireEvent(event, {
      bins,
      occurrence,
      viewer,
      subscription: await findSubscription(account, event.subscription),
    });
  };
}

export function getRowStyle({ style }: Pick<ListedEvent, 'style'>): Style {
  return styles.find((candidate) => candidate === style) ?? 'calendar';
}

/** The main tag fills an entry and marks its left side; the second tag marks its right side. */
function toColours(event: ListedEvent): Entry['colours'] {
  const main = getMainColour(event);
  return { background: main, left: main, right: event.tags[1]?.colour ?? TRANSPARENT };
}

const toPartFields = ({ time, endTime, part }: DayPart) => ({
  ...(time === undefined ? {} : { time }),
  ...(endTime === undefined ? {} : { endtime: endTime }),
  ...(part === 'whole' ? {} : { part }),
});

/** Creates the entry for the part of an occurrence that is on one day. */
export function toPartEntry(event: ListedEvent, occurrence: Occurrence, day: Day): Entry {
  const { time: _time, ...entry } = toEntry(event);
  const first = toLocalDay(occurrence.start);
  const part = getDayPart(occurrence, day);
  const shownPart = event.time === null ? { ...part, time: undefined, endTime: undefined } : part;
  return { ...entry, ...toPartFields(shownPart), ...(first === day ? {} : { began: toIso(first) }) };
}

export function toEntry(event: ListedEvent): Entry {
  const { id, name, time, repeat_every: every, repeat_unit: unitName, subscription } = event;
  const unit = repeatUnits.find((candidate) => candidate === unitName);
  return {
    name,
    eventid: id,
    type: getRowStyle(event),
    colours: toColours(event),
    pinned: event.isPinned,
    ...(time === null ? {} : { time }),
    ...(every === null || unit === undefined ? {} : { every, unit }),
    ...(subscription === null ? {} : { fixed: true }),
  };
}

/** `occurrence` is in the viewer's zone, for a duration in a zone. */
export function toDurationEntry(event: ListedEvent, occurrence?: Occurrence): z.output<typeof durationEntry> {
  return {
    ...toEntry(event),
    ...(occurrence ? { time: toEventFields(occurrence).time } : {}),
    date: toWire(occurrence ? toLocalDay(occurrence.start) : event.day),
    until: toWire(occurrence ? getLastDay(occurrence) : event.until_day),
  };
}
