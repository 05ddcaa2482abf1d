import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { serverEvent } from '#platform/contract/event.ts';
import { requestedId, id } from '#platform/contract/fields.ts';
import { DELETED, DESCRIPTION_LIMIT, NAME_LIMIT, MAX_SLOTS_PER_DAY, statuses } from './contract/limits.ts';

export { DELETED, DESCRIPTION_LIMIT, NAME_LIMIT, MAX_SLOTS_PER_DAY as SLOTS_OF_A_DAY, statuses };

/** Of one slot's JSON: six bytes are the most that a character is written with, and the rest of it has room in 512. */
const SLOT_BYTES = (NAME_LIMIT + DESCRIPTION_LIMIT) * 6 + 512;
/** A week's slots, taken together. */
const MAX_SLOTS_PER_WEEK = MAX_SLOTS_PER_DAY * 7;

const day = z.string().check(z.maxLength(20));
const rgb = z.tuple([z.number(), z.number(), z.number()]);
/** Hours east of UTC, fractions allowed; `tz`, an IANA name, rules where it stands beside it. */
const place = {
  toffset: z.optional(z.string().check(z.maxLength(20))),
  tz: z.optional(z.string().check(z.maxLength(64))),
};

/** As answers have it. `start` and `end` are `HH:MM` (an end of '24:00' is the day's), the percents their share of that day's real length. */
export const slot = z.object({
  name: z.string(),
  start: z.string(),
  end: z.string(),
  startpercentthroughday: z.number(),
  endpercentthroughday: z.number(),
  description: z.string(),
  colour: rgb,
  state: z.enum(statuses),
  /** The slot's own id; 0 in a request for one that is new. */
  updatedid: z.int(),
});

/** As requests have it: read by the handler, which refuses a wrong one in a sentence. */
const sentSlot = z.object({
  name: z.string(),
  start: z.optional(z.string().check(z.maxLength(20))),
  end: z.optional(z.string().check(z.maxLength(20))),
  startpercentthroughday: z.optional(z.number()),
  endpercentthroughday: z.optional(z.number()),
  description: z.optional(z.string()),
  colour: z.optional(z.array(z.number())),
  state: z.optional(z.string().check(z.maxLength(40))),
  updatedid: z.optional(z.union([z.int(), z.string().check(z.maxLength(20))])),
});

const date = z.object({
  /** ISO. */
  date: z.string(),
  weekday: z.string(),
  shortdate: z.string(),
  /** A day before today. */
  pre: z.boolean(),
  /** Of today alone: the share that is gone, 0 to 100. */
  percentagetime: z.optional(z.number()),
  tbbldata: z.record(z.string(), slot),
});

export const getunuseddatesttbl = call({
  method: 'GET',
  path: '/api/getunuseddatesttbl',
  summary: 'Weeks of the timetable: last week, this one and the next four.',
  access: 'account',
  request: z.object({
    ...place,
    /** Ours: the Monday from which on, for older and later weeks, ISO. */
    from: z.optional(day),
    /** Ours: how many weeks from there, at most 12. */
    weeks: z.optional(z.string().check(z.maxLength(3))),
  }),
  answer: z.object({
    data: z.array(z.object({ week: z.string(), dates: z.array(date) })),
    meta: z.object({
      colours: z.record(z.string(), z.string()),
      /** A colour for each status, and under `key` the statuses in their order. */
      statuscolours: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    }),
  }),
});

export const savespecific = call({
  method: 'POST',
  path: '/api/savespecific',
  summary: 'Saves slots of one day; those that are not sent stay as they are.',
  access: 'account',
  // A whole day pasted, each slot as long as it may be.
  bodyLimit: MAX_SLOTS_PER_DAY * SLOT_BYTES,
  request: z.object({ date: day, data: z.record(z.string(), sentSlot) }),
  answer: z.object({
    /** The id that each new slot was given, by the key it was sent under. */
    overwrite: z.record(z.string(), id),
  }),
});

export const savelongtermtbbl = call({
  method: 'POST',
  path: '/api/savelongtermtbbl',
  summary: 'Keeps a named copy of a week.',
  access: 'account',
  bodyLimit: 1024 * 1024,
  request: z.object({
    name: z.string(),
    data: z.array(z.object({ date: day, tbbldata: z.record(z.string(), sentSlot) })).check(z.maxLength(7)),
  }),
  answer: z.object({ id }),
});

// Ours ----------------------------------------------------------------------------------------------

/** Slots of these days are other ones now. To every page of the account. */
export const timetableChanged = serverEvent({
  name: 'timetablechanged',
  delivery: 'all',
  data: z.object({ dates: z.array(z.string()) }),
});

/** A slot goes to another day as itself: with its id, its status, and in one step. */
export const moveslot = call({
  method: 'POST',
  path: '/api/moveslot',
  summary: 'Moves a slot to another day or time.',
  access: 'account',
  request: z.object({ id: requestedId, date: day, start: day, end: day }),
  answer: z.object({}),
});

/** For who is at a slot that left its day meanwhile: a week has no word of where it went. */
export const findslot = call({
  method: 'GET',
  path: '/api/findslot',
  summary: 'Where a slot stands now.',
  access: 'account',
  request: z.object({ id: z.pipe(z.coerce.number(), requestedId) }),
  answer: z.object({
    /** Nothing where it was deleted. */
    found: z.optional(z.object({ date: z.string(), slot })),
  }),
});

export const savedweeks = call({
  method: 'GET',
  path: '/api/savedweeks',
  summary: 'The named copies of weeks, newest first.',
  access: 'account',
  request: z.object({}),
  answer: z.object({
    weeks: z.array(z.object({ id, name: z.string(), slots: z.int(), /** ISO 8601 UTC. */ saved: z.string() })),
  }),
});
export const savedweek = call({
  method: 'GET',
  path: '/api/savedweek',
  summary: 'A named copy, whole.',
  access: 'account',
  request: z.object({ id: z.pipe(z.coerce.number(), requestedId) }),
  answer: z.object({
    name: z.string(),
    /** Monday first. */
    days: z.array(z.array(slot)).check(z.length(7)),
  }),
});
/** `replace` takes the slots away that the week has; otherwise the copy's are added, but for those that stand there already. */
export const layweek = call({
  method: 'POST',
  path: '/api/layweek',
  summary: 'Lays a named copy over a week.',
  access: 'account',
  request: z.object({ id: requestedId, monday: day, replace: z.boolean() }),
  answer: z.object({
    /** The ids of the slots that were made, for the way back. */
    made: z.array(id),
    /** What was taken away, by its day; for a day it can be brought back. */
    replaced: z.array(z.object({ date: z.string(), slot })),
  }),
});
/** The way back of what was made and of what was deleted within the last day, wholly or not at all. What is back already stays. */
export const undoslots = call({
  method: 'POST',
  path: '/api/undoslots',
  summary: 'Takes slots away that were made, and brings deleted ones back as they were, with their ids.',
  access: 'account',
  request: z.object({
    made: z.array(requestedId).check(z.maxLength(MAX_SLOTS_PER_WEEK)),
    gone: z.array(requestedId).check(z.maxLength(MAX_SLOTS_PER_WEEK)),
  }),
  answer: z.object({}),
});
export const deletesavedweek = call({
  method: 'POST',
  path: '/api/deletesavedweek',
  summary: 'Deletes a named copy.',
  access: 'account',
  request: z.object({ id: requestedId }),
  answer: z.object({}),
});

/** Whether the account's calendar feed has the slots. */
export const timetablefeed = call({
  method: 'POST',
  path: '/api/timetablefeed',
  summary: 'Whether the slots stand in the calendar feed; with `on` it is set.',
  access: 'account',
  request: z.object({ on: z.optional(z.boolean()) }),
  answer: z.object({ on: z.boolean() }),
});
