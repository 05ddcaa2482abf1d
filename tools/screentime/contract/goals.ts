import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { serverEvent } from '#platform/contract/event.ts';
import { id } from '#platform/contract/fields.ts';
import { deviceid, place } from './shared.ts';

const goal = z.object({
  goalid: id,
  goal: z.object({
    target: z.string(),
    typeoftarget: z.enum(['app', 'cat']),
    /** Today and the days before it: 1 is today alone. */
    daysaffected: z.int(),
    /** Of a goal for times opened the number of times. */
    goalseconds: z.int(),
    /** -1: all devices. */
    deviceid: z.int(),
    /** ISO, or empty. */
    begindate: z.string(),
    /** 0 time spent, 1 times opened. */
    goaltype: z.literal([0, 1]),
    /** 1 rolling, 0 between dates. */
    daysaffectedtype: z.literal([0, 1]),
    /** Ours: not to be passed, instead of to be reached. */
    limit: z.boolean(),
  }),
  goalachievment: z.object({
    header: z.string(),
    /** What, over which days, on which devices. */
    maindesc: z.array(z.string()).check(z.length(3)),
    /** CSS. */
    failed: z.string(),
    /** As people read it. */
    actualdone: z.string(),
    /** 0 to 1, and beyond. */
    decdone: z.number(),
  }),
  /** Ours: what came of it on the last days that are over, oldest first, each by what the goal was then. ISO dates of the home zone. */
  history: z.array(z.object({ date: z.string(), decdone: z.number(), limit: z.boolean() })),
});

const text = z.string().check(z.maxLength(20));

export const gettimetrackergoals = call({
  method: 'GET',
  path: '/api/gettimetrackergoals',
  summary: 'The goals, and how far they are reached.',
  access: 'account',
  request: z.object({ ...place, deviceid }),
  answer: z.object({ goals: z.array(goal) }),
});

/** `goalid` 0 or -1 makes one. Fields are texts: the handler refuses a wrong one in a sentence. */
export const settimetrackergoal = call({
  method: 'GET',
  path: '/api/settimetrackergoal',
  summary: 'Makes or changes a goal.',
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
    ...place,
  }),
  answer: z.object({ newgoal: goal }),
});

export const deletetimetrackergoal = call({
  method: 'GET',
  path: '/api/deletetimetrackergoal',
  summary: 'Deletes a goal.',
  access: 'account',
  request: z.object({ goalid: text }),
  answer: z.object({}),
});

/** Ours: the way back. */
export const restoretimetrackergoal = call({
  method: 'POST',
  path: '/api/restoretimetrackergoal',
  summary: 'Brings back a goal that was deleted within a day, with what came of it on the days before.',
  access: 'account',
  request: z.object({ goalid: text }),
  answer: z.object({}),
});

/** Ours, to every page of the account: a goal was made, changed or deleted. */
export const goalsChanged = serverEvent({ name: 'goalschanged', delivery: 'all', data: z.object({}) });
