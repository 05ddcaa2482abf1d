import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { serverEvent } from '#platform/contract/event.ts';
import { requestedId, id } from '#platform/contract/fields.ts';

// Limits. Lengths are in Unicode code points. -------------------------------------------------------

export const MAX_NAME_LENGTH = 300;
export const MAX_DESCRIPTION_LENGTH = 20_000;
export const MAX_TAG_LENGTH = 60;
export const MAX_TAGS_PER_EVENT = 30;
/** Maximum number of days in one request of `eventsbetween`. */
export const MAX_DAYS_PER_REQUEST = 62;
/**
 * Maximum number of durations in `getevents`: running ones by their end, then coming ones by their start. Phones load
 * this list with every page, so it stays short.
 */
export const MAX_LISTED_DURATIONS = 200;
/** Maximum number of events in a search answer. */
export const MAX_SEARCH_RESULTS = 200;
/** Maximum number of listed events of one day. */
export const MAX_ENTRIES_PER_DAY = 500;
/** Days for which deleted events and tags can be restored. */
export const BIN_DAYS = 30;
/** Maximum size of the text of an .ics file, in bytes of UTF-8. */
export const MAX_ICS_BYTES = 8 * 1024 * 1024;
/** Maximum number of events of an account, including those in the bin. */
export const MAX_EVENTS_PER_ACCOUNT = 200_000;

// Values on the wire ---------------------------------------------------------------------------------

export const styles = ['calendar', 'repeat', 'duration'] as const;
/** `day` and `month` are extensions to the specification, for imported calendars and quick add. */
export const repeatUnits = ['week', 'year', 'day', 'month'] as const;
/** In the order of `durationtypenumber`. */
export const durationUnits = ['hours', 'days', 'weeks', 'months', 'years'] as const;
export const fromTypes = ['today', 'forever', 'absoloute'] as const;
export const untilTypes = ['forever', 'relative', 'absoloute'] as const;

/**
 * Event ids without an event: 'Events still loading', a week spacer, the placeholder or new entry, 'select an event'.
 */
export const SPECIAL_EVENT_IDS = { loading: -3, week: -4, new: 0, none: -1 } as const;

/**
 * Codes of `removable`. `builtIn`: from style and state. `own`: can be deleted and pinned. `subscribed`: read-only.
 * `placeholder`: the chip 'CLICK TO CHANGE TAG'. `unsaved`: exists only in the editor so far.
 */
export const REMOVABLE = { builtIn: 0, own: 1, subscribed: 2, placeholder: 4, unsaved: 5 } as const;

/** The `style` of an entry or a search result, sent as `type`. */
const style = z.enum(styles);
/** IANA name of the zone that decides which day is today. Defaults to the home zone of the account. */
const tz = z.optional(z.string().check(z.maxLength(64)));
/**
 * `DD-MM-YYYY` (single digits accepted) or ISO. The handler parses it, so that a wrong date gets a readable refusal.
 */
const date = z.string().check(z.maxLength(20));
const time = z.string().check(z.maxLength(5));
const revision = z.optional(z.number());
const tagName = z.string().check(z.maxLength(400));

// Parts of answers -----------------------------------------------------------------------------------

/** An event in a rail or on a day. Colours are CSS; `right` is 'transparent' if the event has only one tag. */
export const entry = z.object({
  name: z.string(),
  eventid: z.int(),
  type: style,
  colours: z.object({ background: z.string(), left: z.string(), right: z.string() }),
  /** Extension: the main tag fills the entry, and the entry comes first. */
  pinned: z.boolean(),
  /** Extension: `HH:MM`, if the event has a time. */
  time: z.optional(z.string()),
  /** Extension, for events past midnight or in a zone: end of this day's part; '24:00' if the event continues. */
  endtime: z.optional(z.string()),
  /** Extension, for events past midnight: which part of the event is on this day. */
  part: z.optional(z.enum(['first', 'middle', 'last'])),
  /** Extension, for later parts: the ISO day on which the event started. */
  began: z.optional(z.string()),
  /** Extension, for our own repeats: the interval, in `unit`s. */
  every: z.optional(z.int()),
  unit: z.optional(z.enum(repeatUnits)),
  /** Extension: the event comes from a subscribed calendar and can't be changed here. */
  fixed: z.optional(z.boolean()),
});
/** `date` and `until` are `DD-MM-YYYY`; `until` is the last day of the duration. */
export const durationEntry = z.extend(entry, { date: z.string(), until: z.string() });

/** The days of a list, keyed by ISO date, in date order. Days without an entry are left out. */
const dates = z.record(
  z.string(),
  z.object({
    label: z.string(),
    weekday: z.string(),
    colour: z.string(),
    /** At most `MAX_ENTRIES_PER_DAY` events. Events of several days come last. */
    entries: z.array(entry),
    // Extension:
    /** Number of events of the day that are not listed. */
    hidden: z.optional(z.int()),
  }),
);

export const tag = z.object({
  colour: z.string(),
  /** Sort order. */
  intcolours: z.int(),
  removable: z.int(),
  displayname: z.optional(z.string()),
});
const tags = z.record(z.string(), tag);

const historyBin = z.object({
  binnumber: z.int(),
  edits: z.array(z.object({ type: z.string(), date: z.string(), ip: z.string() })),
});

/**
 * An event as `getevent` returns it. Dates are `DD-MM-YYYY`; `editedon`, `createdon` and history dates are ISO 8601
 * UTC.
 */
export const event = z.object({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  date: z.string(),
  /** Names of its tags, including built-in ones. The pinned tag comes first. */
  participants: z.array(z.string()),
  pinned: z.union([z.string(), z.literal(false)]),
  style,
  repeateveryamount: z.int(),
  repeatevery: z.enum(repeatUnits),
  repeatfromtype: z.enum(fromTypes),
  repeatfrom: z.string(),
  repeatuntilltype: z.enum(untilTypes),
  /** Number of further times for `relative`, a date for `absoloute`, '' for `forever`. */
  repeatuntill: z.union([z.string(), z.number()]),
  duration: z.int(),
  durationtype: z.enum(durationUnits),
  durationtypenumber: z.int(),
  createdon: z.string(),
  editedon: z.string(),
  edithistory: z.array(historyBin),
  // Extensions:
  /** Rises with every change of the account. A change sends it back, so that the server can detect conflicts. */
  revision: z.number(),
  /** The requested day, if it is not `date`. */
  occurrence: z.optional(z.string()),
  /** `HH:MM`; '' is all day. */
  time: z.string(),
  endtime: z.string(),
  /** The last day, if it is not `date` and the event is no duration. An end at midnight is 00:00 of the next day. */
  enddate: z.optional(z.string()),
  /** IANA name of the zone of the event, if it has one. The times here are those of `tz` or of the home zone. */
  zone: z.optional(z.string()),
  /** Days on which the repeat does not happen. */
  exceptions: z.array(z.string()),
  /** The last day of a duration; `date` for other events. */
  until: z.string(),
  /** The repeat in words, if it is a foreign rule that the controls can't show. The repeat fields then mean nothing. */
  otherrule: z.optional(z.string()),
  /** Name of the subscribed calendar that the event comes from. Nothing of it can be changed here. */
  subscription: z.optional(z.string()),
});

/**
 * The `data` of `newevent`. Omitted fields get the defaults of docs/specification/calendar.md section 6; unknown
 * values are refused with a sentence.
 */
const eventData = z.object({
  id: z.int(),
  name: z.string(),
  description: z.optional(z.string()),
  date,
  participants: z.optional(z.array(tagName).check(z.maxLength(200))),
  pinned: z.optional(z.union([z.string(), z.literal(false), z.null()])),
  style: z.optional(z.string()),
  repeateveryamount: z.optional(z.number()),
  repeatevery: z.optional(z.string()),
  repeatfromtype: z.optional(z.string()),
  repeatfrom: z.optional(z.union([date, z.null()])),
  repeatuntilltype: z.optional(z.string()),
  repeatuntill: z.optional(z.union([date, z.number(), z.null()])),
  duration: z.optional(z.number()),
  durationtype: z.optional(z.string()),
  durationtypenumber: z.optional(z.number()),
  // Extensions:
  revision,
  tz,
  time: z.optional(time),
  endtime: z.optional(time),
  /** If omitted, the event ends on `date`, or after as many days as before. */
  enddate: z.optional(date),
  /** For a new event: IANA name of the zone of its times. If omitted, the times are in no zone. */
  zone: z.optional(z.string().check(z.maxLength(64))),
  /** For a repeat in a zone: the occurrence that the times refer to. Defaults to the first one. */
  occurrence: z.optional(date),
  exceptions: z.optional(z.array(date).check(z.maxLength(1000))),
  /**
   * For a new repeat that the other fields can't express: an `RRULE` value (RFC 5545), counted from `date`. `UNTIL`
   * must be a day.
   */
  rule: z.optional(z.string().check(z.maxLength(400))),
});

/** Refusal of `newevent`, `moveevent` and `deleteevent` after a conflict. */
export const CHANGED_ELSEWHERE = 'This event was changed elsewhere after you opened it';

// Calls of docs/specification/calendar.md section 2.1 ------------------------------------------------

export const getevents = call({
  route: 'GET /api/getevents',
  summary: 'Returns a page of days with their events, from today on or after the last day that the client has.',
  access: 'account',
  isLarge: true,
  request: z.object({ specificload: z.optional(date), tz }),
  answer: z.object({
    dates,
    /** Sent with every page: running and coming durations first. */
    datesduration: z.array(durationEntry),
    tags,
    /** Colours by edit type. */
    editcolours: z.record(z.string(), z.string()),
    // Extensions:
    /** ISO date. */
    today: z.string(),
    /** Whether more days follow. */
    more: z.boolean(),
    revision: z.number(),
  }),
});

export const getevent = call({
  route: 'GET /api/getevent',
  summary: 'Returns one event, with its history in as many bins as fit the given width.',
  access: 'account',
  request: z.object({
    id: z.string().check(z.maxLength(20)),
    type: z.optional(z.string().check(z.maxLength(20))),
    date: z.optional(date),
    width: z.optional(z.string().check(z.maxLength(20))),
    tz,
  }),
  answer: z.object({ data: event }),
});

export const eventssearch = call({
  route: 'GET /api/eventssearch',
  summary: 'Finds events by words, parts of words and tags. If both are empty, returns the next upcoming events.',
  access: 'account',
  request: z.object({
    searchterm: z.optional(z.string().check(z.maxLength(400))),
    /** Separated by commas. */
    tags: z.optional(z.string().check(z.maxLength(4000))),
    tz,
  }),
  answer: z.object({
    names: z.array(
      z.object({
        id,
        name: z.string(),
        /** The next day of the event, or else its last one. */
        date: z.string(),
        type: style,
        // Extensions:
        colour: z.string(),
        tags: z.array(z.string()),
        /** Part of the description, if only the description matches. */
        excerpt: z.optional(z.string()),
      }),
    ),
  }),
});

export const newevent = call({
  route: 'POST /api/newevent',
  summary: 'Creates an event (id 0) or changes one.',
  access: 'account',
  bodyLimit: 256 * 1024,
  request: z.object({ data: eventData }),
  answer: z.object({ data: event }),
});

export const settags = call({
  route: 'POST /api/settags',
  summary: 'Takes all tags to keep, and deletes the others that this client has received.',
  access: 'account',
  request: z.object({ tags: z.array(tagName).check(z.maxLength(5000)) }),
});

// Extensions -----------------------------------------------------------------------------------------

/** `from` and `until` are ISO days; `until` is included. */
export const eventsbetween = call({
  route: 'GET /api/eventsbetween',
  summary: 'Returns the events of a range of days, for the month and week views.',
  access: 'account',
  request: z.object({ from: date, until: date, tz }),
  answer: z.object({ dates, durations: z.array(durationEntry), today: z.string(), revision: z.number() }),
});

/**
 * Moves an event by the days between `from` (one of its days) and `to`. With `only`, that occurrence becomes an event
 * of its own.
 */
export const moveevent = call({
  route: 'POST /api/moveevent',
  summary: 'Moves an event to another day.',
  access: 'account',
  request: z.object({ id: requestedId, from: date, to: date, only: z.optional(z.boolean()), revision, tz }),
  answer: z.object({ data: event }),
});

/** With `occurrence`, deletes only that day of a repeat. Deleted events stay in the bin for `BIN_DAYS`. */
export const deleteevent = call({
  route: 'POST /api/deleteevent',
  usesReserve: true,
  summary: 'Deletes an event, or one day of a repeat.',
  access: 'account',
  request: z.object({ id: requestedId, occurrence: z.optional(date), revision, tz }),
  answer: z.object({ revision: z.number() }),
});

export const restoreevent = call({
  route: 'POST /api/restoreevent',
  summary: 'Restores a deleted event.',
  access: 'account',
  request: z.object({ id: requestedId }),
  answer: z.object({ data: event }),
});

/** Newest first. `deleted` is ISO 8601 UTC. */
export const deletedevents = call({
  route: 'GET /api/deletedevents',
  summary: 'Returns the bin: events and tags deleted in the last 30 days.',
  access: 'account',
  answer: z.object({
    events: z.array(z.object({ id, name: z.string(), date: z.string(), type: style, deleted: z.string() })),
    tags: z.array(z.object({ name: z.string(), colour: z.string(), deleted: z.string() })),
  }),
});

/** Without an id, empties the whole bin. */
export const emptybin = call({
  route: 'POST /api/emptybin',
  usesReserve: true,
  summary: 'Deletes events in the bin permanently.',
  access: 'account',
  request: z.object({ id: z.optional(requestedId) }),
  answer: z.object({ removed: z.int() }),
});

export const changetag = call({
  route: 'POST /api/changetag',
  summary: 'Changes the colour or name of a tag.',
  access: 'account',
  request: z.object({
    name: tagName,
    /** `#RRGGBB`. */
    colour: z.optional(z.string().check(z.maxLength(7))),
    newname: z.optional(tagName),
  }),
  answer: z.object({ tags }),
});

export const restoretag = call({
  route: 'POST /api/restoretag',
  summary: 'Restores a deleted tag on the events that had it.',
  access: 'account',
  request: z.object({ name: tagName }),
  answer: z.object({ tags }),
});

/** Sent to all pages of the account when events or tags have changed. */
export const calendarChanged = serverEvent({
  name: 'calendarchanged',
  delivery: 'newest',
  data: z.object({ revision: z.number() }),
});
