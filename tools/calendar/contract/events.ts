import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { serverEvent } from '#platform/contract/event.ts';
import { requestedId, id } from '#platform/contract/fields.ts';

// Limits. Lengths are in Unicode code points. -------------------------------------------------------

export const NAME_LIMIT = 300;
export const DESCRIPTION_LIMIT = 20_000;
export const TAG_LIMIT = 60;
export const MAX_TAGS_PER_EVENT = 30;
/** Days that `eventsbetween` answers at once. */
export const BETWEEN_DAYS = 62;
/** Durations that `getevents` answers: those that run by their end, then those that come by their beginning. A rail has no use for more, and a phone loads them with every page. */
export const DURATIONS_LISTED = 200;
/** Events that a search answers at most. */
export const RESULTS_LISTED = 200;
/** Events of one day that a list has at most. */
export const DAY_ENTRIES = 500;
/** Days that deleted events and tags can be brought back. */
export const BIN_DAYS = 30;
/** Of the text of an .ics file, in bytes of UTF-8. */
export const ICS_LIMIT_BYTES = 8 * 1024 * 1024;
/** Events of an account, those in the bin among them. */
export const EVENTS_LIMIT = 200_000;

// Words of the wire ----------------------------------------------------------------------------------

export const styles = ['calendar', 'repeat', 'duration'] as const;
/** `day` and `month` are ours: other calendars and quick add have them. */
export const repeatUnits = ['week', 'year', 'day', 'month'] as const;
/** In the order of `durationtypenumber`. */
export const durationUnits = ['hours', 'days', 'weeks', 'months', 'years'] as const;
export const fromTypes = ['today', 'forever', 'absoloute'] as const;
export const untilTypes = ['forever', 'relative', 'absoloute'] as const;

/** Event ids that are none: 'Events still loading', a week spacer, the placeholder or new entry, and 'select an event'. */
export const SPECIAL = { loading: -3, week: -4, new: 0, none: -1 } as const;

/**
 * Codes of `removable`. `builtIn`: given by style and state (Repeat, Duration, Pinned), cannot be taken off. `own`: the user's; can be
 * deleted and pinned. `subscribed`: of an outside calendar; can be searched for, not changed. `placeholder`: the chip 'CLICK TO CHANGE TAG'.
 * `unsaved`: typed in the editor, no tag before the event is saved.
 */
export const REMOVABLE = { builtIn: 0, own: 1, subscribed: 2, placeholder: 4, unsaved: 5 } as const;

/** `style` of an entry or a result, as `type`. */
const style = z.enum(styles);
/** An IANA name: whose day 'today' is. Without it the account's home zone is. */
const tz = z.optional(z.string().check(z.maxLength(64)));
/** `DD-MM-YYYY` (single digits accepted), or ISO. The handler reads it: a wrong one is refused in a sentence. */
const date = z.string().check(z.maxLength(20));
const time = z.string().check(z.maxLength(5));
const revision = z.optional(z.number());
const tagName = z.string().check(z.maxLength(400));

// Shapes of answers ----------------------------------------------------------------------------------

/** A line of a rail, of a day in the month or the week. Colours are CSS; `right` is 'transparent' for an event with one tag. */
export const entry = z.object({
  name: z.string(),
  eventid: z.int(),
  type: style,
  colours: z.object({ background: z.string(), left: z.string(), right: z.string() }),
  /** Ours: the main tag fills the entry, and the entry stands first. */
  pinned: z.boolean(),
  /** Ours: `HH:MM`, where the event has a time. */
  time: z.optional(z.string()),
  /** Ours, of what goes over midnight or is told in a zone: where its part of the day ends; '24:00' where it goes on. */
  endtime: z.optional(z.string()),
  /** Ours, of what goes over midnight: which part of it the day has. */
  part: z.optional(z.enum(['first', 'middle', 'last'])),
  /** Ours, of such a later part: the ISO day on which it began. */
  began: z.optional(z.string()),
  /** Ours, of repeats by our own rules: every how many of what. */
  every: z.optional(z.int()),
  unit: z.optional(z.enum(repeatUnits)),
  /** Ours: from a subscribed calendar, and not to be changed here. */
  fixed: z.optional(z.boolean()),
});
/** `date` and `until` are `DD-MM-YYYY`; `until` is the last day that belongs to it. */
export const durationEntry = z.extend(entry, { date: z.string(), until: z.string() });

/** The days of a list, keyed by ISO date, in date order; days without an entry are left out. */
const dates = z.record(
  z.string(),
  z.object({
    label: z.string(),
    weekday: z.string(),
    colour: z.string(),
    /** At most `DAY_ENTRIES` events; those that last for days come last. */
    entries: z.array(entry),
    // Ours:
    /** Events of the day that are not listed, where there are more. */
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

/** An event as `getevent` gives it and a page holds it. Dates are `DD-MM-YYYY`, `editedon`, `createdon` and those of the history ISO 8601 UTC. */
export const event = z.object({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  date: z.string(),
  /** Names of its tags, built-in ones among them, the pinned one first. */
  participants: z.array(z.string()),
  pinned: z.union([z.string(), z.literal(false)]),
  style,
  repeateveryamount: z.int(),
  repeatevery: z.enum(repeatUnits),
  repeatfromtype: z.enum(fromTypes),
  repeatfrom: z.string(),
  repeatuntilltype: z.enum(untilTypes),
  /** How many further times for `relative`, a date for `absoloute`, '' for `forever`. */
  repeatuntill: z.union([z.string(), z.number()]),
  duration: z.int(),
  durationtype: z.enum(durationUnits),
  durationtypenumber: z.int(),
  createdon: z.string(),
  editedon: z.string(),
  edithistory: z.array(historyBin),
  // Ours:
  /** Counts the changes of the account; sent back with a change it tells whether somebody else was faster. */
  revision: z.number(),
  /** The day that was asked for, where it is another one than `date`. */
  occurrence: z.optional(z.string()),
  /** `HH:MM`; '' is all day. */
  time: z.string(),
  endtime: z.string(),
  /** The day on which it ends, where that is another one than `date` and it is no duration; an end at midnight is 00:00 of the next day. */
  enddate: z.optional(z.string()),
  /** The IANA name of the zone in which it was made, where it has one; its times here are by the clock of `tz`, or of the home zone. */
  zone: z.optional(z.string()),
  /** Days on which the repeat is left out. */
  exceptions: z.array(z.string()),
  /** The last day of a duration; of others `date`. */
  until: z.string(),
  /** In words, where the repeat is a rule of another calendar that the controls cannot show; the repeat fields then say nothing. */
  otherrule: z.optional(z.string()),
  /** Name of the subscribed calendar that it comes from: nothing of it can be changed here. */
  subscription: z.optional(z.string()),
});

/** What `newevent` takes as `data`. What is left out is as in the specification's defaults; unknown words are refused in a sentence. */
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
  // Ours:
  revision,
  tz,
  time: z.optional(time),
  endtime: z.optional(time),
  /** Left out, the day of `date`, or of as many days as before. */
  enddate: z.optional(date),
  /** Of a new event: the IANA name of the zone by whose clock its times are. Left out, they are in no zone. */
  zone: z.optional(z.string().check(z.maxLength(64))),
  /** Of a repeat in a zone: the day of it by whose clock the times are; left out, its first one. */
  occurrence: z.optional(date),
  exceptions: z.optional(z.array(date).check(z.maxLength(1000))),
  /** Of a new repeat that the fields above cannot say: a value of `RRULE` (RFC 5545), counted from `date`, with at most a day in `UNTIL`. */
  rule: z.optional(z.string().check(z.maxLength(400))),
});

/** Of a refusal of `newevent`, `moveevent`, `deleteevent`: somebody else was faster. */
export const CHANGED_ELSEWHERE = 'This event was changed elsewhere meanwhile';

// The specification's calls --------------------------------------------------------------------------

export const getevents = call({
  method: 'GET',
  path: '/api/getevents',
  summary: 'A page of days with their events, from today on or behind the last day that the client holds.',
  access: 'account',
  isLarge: true,
  request: z.object({ specificload: z.optional(date), tz }),
  answer: z.object({
    dates,
    /** Sent with every page, those that run or come next first. */
    datesduration: z.array(durationEntry),
    tags,
    /** Edit type to colour. */
    editcolours: z.record(z.string(), z.string()),
    // Ours:
    /** ISO. */
    today: z.string(),
    /** Whether there are days behind these. */
    more: z.boolean(),
    revision: z.number(),
  }),
});

export const getevent = call({
  method: 'GET',
  path: '/api/getevent',
  summary: 'One event, with its history in as many bins as the width can show.',
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
  method: 'GET',
  path: '/api/eventssearch',
  summary: 'Events by words, parts of words and tags; the next ones to come where both are empty.',
  access: 'account',
  request: z.object({
    searchterm: z.optional(z.string().check(z.maxLength(400))),
    /** Joined by commas. */
    tags: z.optional(z.string().check(z.maxLength(4000))),
    tz,
  }),
  answer: z.object({
    names: z.array(
      z.object({
        id,
        name: z.string(),
        /** The day of it that comes next, else its last or only one. */
        date: z.string(),
        type: style,
        // Ours:
        colour: z.string(),
        tags: z.array(z.string()),
        /** A piece of the description, where the words were found only there. */
        excerpt: z.optional(z.string()),
      }),
    ),
  }),
});

export const newevent = call({
  method: 'POST',
  path: '/api/newevent',
  summary: 'Makes an event (id 0) or changes one.',
  access: 'account',
  bodyLimit: 256 * 1024,
  request: z.object({ data: eventData }),
  answer: z.object({ data: event }),
});

export const settags = call({
  method: 'POST',
  path: '/api/settags',
  summary: 'Names all tags that stay; the others that this client knew are deleted.',
  access: 'account',
  request: z.object({ tags: z.array(tagName).check(z.maxLength(5000)) }),
  answer: z.object({}),
});

// Ours -----------------------------------------------------------------------------------------------

/** `from` and `until` are ISO days, `until` included. */
export const eventsbetween = call({
  method: 'GET',
  path: '/api/eventsbetween',
  summary: 'The events of some days, for month and week.',
  access: 'account',
  request: z.object({ from: date, until: date, tz }),
  answer: z.object({ dates, durations: z.array(durationEntry), today: z.string(), revision: z.number() }),
});

/** Moves an event by as many days as lie between `from` (one of its days) and `to`; with `only` that one day of a repeat, which becomes an event of its own. */
export const moveevent = call({
  method: 'POST',
  path: '/api/moveevent',
  summary: 'Puts an event on another day.',
  access: 'account',
  request: z.object({ id: requestedId, from: date, to: date, only: z.optional(z.boolean()), revision, tz }),
  answer: z.object({ data: event }),
});

/** With `occurrence` that one day of a repeat. The event stays in the bin for 30 days. */
export const deleteevent = call({
  method: 'POST',
  path: '/api/deleteevent',
  summary: 'Deletes an event, or one day of a repeat.',
  access: 'account',
  request: z.object({ id: requestedId, occurrence: z.optional(date), revision, tz }),
  answer: z.object({ revision: z.number() }),
});

export const restoreevent = call({
  method: 'POST',
  path: '/api/restoreevent',
  summary: 'Brings a deleted event back.',
  access: 'account',
  request: z.object({ id: requestedId }),
  answer: z.object({ data: event }),
});

/** Newest first. `deleted` is ISO 8601 UTC. */
export const deletedevents = call({
  method: 'GET',
  path: '/api/deletedevents',
  summary: 'The bin: events and tags deleted in the last 30 days.',
  access: 'account',
  request: z.object({}),
  answer: z.object({
    events: z.array(z.object({ id, name: z.string(), date: z.string(), type: style, deleted: z.string() })),
    tags: z.array(z.object({ name: z.string(), colour: z.string(), deleted: z.string() })),
  }),
});

/** Without an id: all that is in the bin. */
export const emptybin = call({
  method: 'POST',
  path: '/api/emptybin',
  summary: 'Removes deleted events for good.',
  access: 'account',
  request: z.object({ id: z.optional(requestedId) }),
  answer: z.object({ removed: z.int() }),
});

export const changetag = call({
  method: 'POST',
  path: '/api/changetag',
  summary: 'Gives a tag another colour or name.',
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
  method: 'POST',
  path: '/api/restoretag',
  summary: 'Brings a deleted tag back, onto the events that had it.',
  access: 'account',
  request: z.object({ name: tagName }),
  answer: z.object({ tags }),
});

/** To all pages of the account: events or tags are not what they were. */
export const calendarChanged = serverEvent({
  name: 'calendarchanged',
  delivery: 'newest',
  data: z.object({ revision: z.number() }),
});
