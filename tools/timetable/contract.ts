import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { serverEvent } from '#platform/contract/event.ts';
import { requestedId, id } from '#platform/contract/fields.ts';
import { DELETED, MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH, MAX_SLOTS_PER_DAY, statuses } from './contract/limits.ts';

export { DELETED };

/** Maximum JSON size of one slot: a character needs up to six bytes, and the other fields fit into 512. */
const MAX_SLOT_BYTES = (MAX_NAME_LENGTH + MAX_DESCRIPTION_LENGTH) * 6 + 512;
const MAX_SLOTS_PER_WEEK = MAX_SLOTS_PER_DAY * 7;

const day = z.string().check(z.maxLength(20));
const rgb = z.tuple([z.number(), z.number(), z.number()]);
/** `toffset`: hours east of UTC, with fractions. `tz`: an IANA time zone, which overrides `toffset`. */
const zoneFields = {
  toffset: z.optional(z.string().check(z.maxLength(20))),
  tz: z.optional(z.string().check(z.maxLength(64))),
};

/**
 * A slot in answers. `start` and `end` are `HH:MM` (the end of the day is '24:00'); the percents are their position in
 * the day's real length.
 */
export const slot = z.object({
  name: z.string(),
  start: z.string(),
  end: z.string(),
  startpercentthroughday: z.number(),
  endpercentthroughday: z.number(),
  description: z.string(),
  colour: rgb,
  state: z.enum(statuses),
  /** Id of the slot; 0 for a new one in a request. */
  updatedid: z.int(),
});

/** A slot in requests. The handler validates it, so that a refusal can explain what is wrong. */
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
  /** ISO date. */
  date: z.string(),
  weekday: z.string(),
  shortdate: z.string(),
  /** Whether the day is before today. */
  pre: z.boolean(),
  /** Elapsed share of the day, 0 to 100; absent for other days than today. */
  percentagetime: z.optional(z.number()),
  tbbldata: z.record(z.string(), slot),
});

export const getunuseddatesttbl = call({
  route: 'GET /api/getunuseddatesttbl',
  summary: 'Returns weeks of the timetable: last week, this week and the next four.',
  access: 'account',
  request: z.object({
    ...zoneFields,
    /** Extension of the specification: the first week's Monday, as an ISO date. */
    from: z.optional(day),
    /** Extension: number of weeks, at most 12. */
    weeks: z.optional(z.string().check(z.maxLength(3))),
  }),
  answer: z.object({
    data: z.array(z.object({ week: z.string(), dates: z.array(date) })),
    meta: z.object({
      colours: z.record(z.string(), z.string()),
      /** A colour per status; `key` lists the statuses in order. */
      statuscolours: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    }),
  }),
});

export const savespecific = call({
  route: 'POST /api/savespecific',
  summary: 'Saves slots of one day. Slots that are not sent do not change.',
  access: 'account',
  // Enough for pasting a whole day of maximum slots.
  bodyLimit: MAX_SLOTS_PER_DAY * MAX_SLOT_BYTES,
  request: z.object({ date: day, data: z.record(z.string(), sentSlot) }),
  answer: z.object({
    /** Ids of new slots, by the key under which they were sent. */
    overwrite: z.record(z.string(), id),
  }),
});

export const savelongtermtbbl = call({
  route: 'POST /api/savelongtermtbbl',
  summary: 'Saves a named copy of a week.',
  access: 'account',
  bodyLimit: 1024 * 1024,
  request: z.object({
    name: z.string(),
    data: z.array(z.object({ date: day, tbbldata: z.record(z.string(), sentSlot) })).check(z.maxLength(7)),
  }),
  answer: z.object({ id }),
});

// Calls that the specification does not have

/** The slots of these days changed. Goes to every page of the account. */
export const timetableChanged = serverEvent({
  name: 'timetablechanged',
  delivery: 'all',
  data: z.object({ dates: z.array(z.string()) }),
});

/** Moves a slot in one step, so that it keeps its id and status. */
export const moveslot = call({
  route: 'POST /api/moveslot',
  summary: 'Moves a slot to another day or time.',
  access: 'account',
  request: z.object({ id: requestedId, date: day, start: day, end: day }),
});

/** Finds a slot for an editor: a week does not show to which other day it was moved. */
export const findslot = call({
  route: 'GET /api/findslot',
  summary: 'Returns the current day of a slot.',
  access: 'account',
  request: z.object({ id: z.pipe(z.coerce.number(), requestedId) }),
  answer: z.object({
    /** Missing if the slot was deleted. */
    found: z.optional(z.object({ date: z.string(), slot })),
  }),
});

export const savedweeks = call({
  route: 'GET /api/savedweeks',
  summary: 'Returns the saved weeks, newest first.',
  access: 'account',
  answer: z.object({
    weeks: z.array(z.object({ id, name: z.string(), slots: z.int(), /** ISO 8601 UTC. */ saved: z.string() })),
  }),
});
export const savedweek = call({
  route: 'GET /api/savedweek',
  summary: 'Returns one saved week.',
  access: 'account',
  request: z.object({ id: z.pipe(z.coerce.number(), requestedId) }),
  answer: z.object({
    name: z.string(),
    /** Monday first. */
    days: z.array(z.array(slot)).check(z.length(7)),
  }),
});
/** `replace` removes the week's slots first; otherwise the copy's slots are added, except those that exist already. */
export const layweek = call({
  route: 'POST /api/layweek',
  summary: 'Applies a saved week to a week.',
  access: 'account',
  request: z.object({ id: requestedId, monday: day, replace: z.boolean() }),
  answer: z.object({
    /** Ids of the created slots, for undo. */
    made: z.array(id),
    /** Removed slots with their days; they can be restored for a day. */
    replaced: z.array(z.object({ date: z.string(), slot })),
  }),
});
/**
 * Undoes created slots, and slots deleted within the last day, all or nothing. Slots that are already restored stay.
 */
export const undoslots = call({
  route: 'POST /api/undoslots',
  summary: 'Undoes a change: deletes created slots and restores deleted ones with their ids.',
  access: 'account',
  request: z.object({
    made: z.array(requestedId).check(z.maxLength(MAX_SLOTS_PER_WEEK)),
    gone: z.array(requestedId).check(z.maxLength(MAX_SLOTS_PER_WEEK)),
  }),
});
export const deletesavedweek = call({
  route: 'POST /api/deletesavedweek',
  usesReserve: true,
  summary: 'Deletes a saved week.',
  access: 'account',
  request: z.object({ id: requestedId }),
});

/** Reads or sets whether the account's calendar feed contains the slots. */
export const timetablefeed = call({
  route: 'POST /api/timetablefeed',
  summary: 'Returns whether the calendar feed includes the slots. `on` changes it.',
  access: 'account',
  request: z.object({ on: z.optional(z.boolean()) }),
  answer: z.object({ on: z.boolean() }),
});
