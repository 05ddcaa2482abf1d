import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { HOUR_SECONDS } from '#platform/contract/duration.ts';
import { requestedId, id } from '#platform/contract/fields.ts';
import { MAX_ICS_BYTES } from './events.ts';

// Exchange with phones and other calendars: the feed, .ics files, subscriptions and the morning reminder. CalDAV has
// its own protocol.

/** Path of the feed, `/calendar/feed/<secret>.ics`. Omitted if there is no feed. */
const feed = z.object({ path: z.optional(z.string()) });

export const calendarfeed = call({
  route: 'GET /api/calendarfeed',
  summary: 'Returns the secret address at which phones can read this calendar.',
  access: 'account',
  answer: feed,
});

export const makecalendarfeed = call({
  route: 'POST /api/makecalendarfeed',
  summary: 'Creates the secret address, or replaces it: the old one stops working.',
  access: 'account',
  answer: feed,
});

export const endcalendarfeed = call({
  route: 'POST /api/endcalendarfeed',
  usesReserve: true,
  summary: 'Removes the secret address.',
  access: 'account',
});

// Import ---------------------------------------------------------------------------------------------

/** The text of an .ics file. The body limit is doubled because JSON escapes make the text longer. */
const file = { request: z.object({ text: z.string() }), bodyLimit: 2 * MAX_ICS_BYTES };

export const previewimport = call({
  route: 'POST /api/previewimport',
  summary: 'Returns a preview of an .ics file without storing anything.',
  access: 'account',
  ...file,
  answer: z.object({
    /** Name of the calendar, as the file states it. */
    name: z.optional(z.string()),
    /** Number of events that are new, that would change (same UID, other content), and that exist unchanged. */
    added: z.int(),
    changed: z.int(),
    same: z.int(),
    /** The first 200 new or changed events by date (`DD-MM-YYYY`). `when` is the repeat, duration and time in words. */
    events: z.array(z.object({ name: z.string(), date: z.string(), when: z.string(), changed: z.boolean() })),
    /** Events that can't be imported, and why. At most 100. */
    problems: z.array(z.object({ name: z.string(), why: z.string() })),
  }),
  rates: [{ times: 60, seconds: HOUR_SECONDS }],
});

export const importevents = call({
  route: 'POST /api/importevents',
  summary: 'Imports the events of an .ics file. Events with a known uid are updated.',
  access: 'account',
  ...file,
  answer: z.object({ added: z.int(), changed: z.int(), same: z.int(), refused: z.int() }),
  rates: [{ times: 60, seconds: HOUR_SECONDS }],
});

// Subscribed calendars -------------------------------------------------------------------------------

const address = z.string().check(z.maxLength(2000));
const name = z.string().check(z.maxLength(100));
/** `#RRGGBB`. */
const colour = z.string().check(z.maxLength(7));

/** Times are ISO 8601 UTC. */
export const subscription = z.object({
  id,
  name: z.string(),
  address: z.string(),
  colour: z.string(),
  events: z.int(),
  /** Time of the last complete refresh. */
  refreshed: z.optional(z.string()),
  /** Why the last attempt failed. Omitted if it succeeded. */
  problem: z.optional(z.string()),
  /** What the last refresh could not take over unchanged, and why. At most 100. */
  warnings: z.array(z.object({ name: z.string(), why: z.string() })),
});
const subscriptions = z.object({ subscriptions: z.array(subscription) });

export const calendarsubscriptions = call({
  route: 'GET /api/calendarsubscriptions',
  summary: 'Returns the subscribed calendars, which are read every hour.',
  access: 'account',
  answer: subscriptions,
});

export const subscribecalendar = call({
  route: 'POST /api/subscribecalendar',
  summary: 'Subscribes to an outside calendar by its address (https, http or webcal).',
  access: 'account',
  request: z.object({ address, name: z.optional(name), colour: z.optional(colour) }),
  answer: z.object({ subscription }),
  rates: [{ times: 60, seconds: HOUR_SECONDS }],
});

export const changesubscription = call({
  route: 'POST /api/changesubscription',
  summary: 'Changes the name or colour of a subscribed calendar.',
  access: 'account',
  request: z.object({ id: requestedId, name: z.optional(name), colour: z.optional(colour) }),
  answer: subscriptions,
});

export const refreshsubscription = call({
  route: 'POST /api/refreshsubscription',
  summary: 'Reads a subscribed calendar now.',
  access: 'account',
  request: z.object({ id: requestedId }),
  answer: z.object({ subscription }),
  rates: [{ times: 60, seconds: HOUR_SECONDS }],
});

export const unsubscribecalendar = call({
  route: 'POST /api/unsubscribecalendar',
  usesReserve: true,
  summary: 'Removes a subscription and its events.',
  access: 'account',
  request: z.object({ id: requestedId }),
  answer: subscriptions,
});

// Reminder of pinned events --------------------------------------------------------------------------

/** `at` is `HH:MM` in the home zone. `sent`: today's reminder was sent to the browsers of the account. */
const reminder = z.object({ on: z.boolean(), at: z.string(), sent: z.boolean() });

export const calendarreminder = call({
  route: 'GET /api/calendarreminder',
  summary: 'Returns whether and when the reminder of pinned events is sent.',
  access: 'account',
  answer: reminder,
});

export const setcalendarreminder = call({
  route: 'POST /api/setcalendarreminder',
  summary: 'Turns the reminder of pinned events on or off, and sets its time.',
  access: 'account',
  request: z.object({ on: z.boolean(), at: z.string().check(z.maxLength(5)) }),
  answer: reminder,
});
