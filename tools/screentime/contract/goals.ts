import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { serverEvent } from '#platform/contract/event.ts';
import { id } from '#platform/contract/fields.ts';
import { deviceid, zoneFields } from './shared.ts';

const goal = z.object({
  goalid: id,
  goal: z.object({
    target: z.string(),
    typeoftarget: z.enum(['app', 'cat']),
    /** Number of days up to today: 1 is today only. */
    daysaffected: z.int(),
    /** For goals of times opened: the number of times. */
    goalseconds: z.int(),
    /** -1 is all devices. */
    deviceid: z.int(),
    /** ISO date, or empty. */
    begindate: z.string(),
    /** 0 is time spent, 1 is times opened. */
    goaltype: z.literal([0, 1]),
    /** 1 is rolling, 0 is between dates. */
    daysaffectedtype: z.literal([0, 1]),
    /** Addition to the specification: a maximum instead of a minimum. */
    limit: z.boolean(),
  }),
  goalachievment: z.object({
    header: z.string(),
    /** Three lines: what, which days, which devices. */
    maindesc: z.array(z.string()).check(z.length(3)),
    /** CSS colour. */
    failed: z.string(),
    /** Formatted for display. */
    actualdone: z.string(),
    /** Share from 0 to 1, and above if exceeded. */
    decdone: z.number(),
  }),
  /**
   * Addition to the specification: results of the last complete days, oldest first, by the goal of that day. ISO dates
   * of the home zone.
   */
  history: z.array(z.object({ date: z.string(), decdone: z.number(), limit: z.boolean() })),
});

const text = z.string().check(z.maxLength(20));

export const gettimetrackergoals = call({
  route: 'GET /api/gettimetrackergoals',
  summary: 'Returns the goals and their progress.',
  access: 'account',
  request: z.object({ ...zoneFields, deviceid }),
  answer: z.object({ goals: z.array(goal) }),
});

/**
 * Saves a goal; `goalid` 0 or -1 creates one. Fields are texts, so that the handler can refuse them with a sentence.
 */
export const settimetrackergoal = call({
  route: 'GET /api/settimetrackergoal',
  summary: 'Creates or changes a goal.',
  access: 'account',
  request: z.object({
    goalid: text,
    target: z.string(),
    type: text,
    goalseconds: text,
    deviceid: text,
    daysaffected: text,
    begindate: z.optional(text),
    daysaffectedtype: text,
    goaltype: text,
    limit: z.optional(text),
    ...zoneFields,
  }),
  answer: z.object({ newgoal: goal }),
});

export const deletetimetrackergoal = call({
  route: 'GET /api/deletetimetrackergoal',
  usesReserve: true,
  summary: 'Deletes a goal.',
  access: 'account',
  request: z.object({ goalid: text }),
});

/** Addition to the specification: restores a deleted goal. */
export const restoretimetrackergoal = call({
  route: 'POST /api/restoretimetrackergoal',
  summary: 'Restores a goal deleted in the last day, with its history.',
  access: 'account',
  request: z.object({ goalid: text }),
});

/** Addition to the specification: a goal was created, changed or deleted; sent to all pages of the account. */
export const goalsChanged = serverEvent({ name: 'goalschanged', delivery: 'all', data: z.object({}) });
