import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { serverEvent } from '#platform/contract/event.ts';
import { CATEGORY_LIMIT, KEY_LIMIT, RULES_LIMIT } from './limits.ts';
import { applicationName, rgb } from './shared.ts';

const key = z.string().check(z.maxLength(2 * KEY_LIMIT));
const keys = z.record(z.string(), z.object({ up: key, down: key, mute: key }));
const cats = z.record(z.string(), z.array(z.string()));

export const applicationcatinfo = call({
  method: 'GET',
  path: '/api/applicationcatinfo',
  summary: 'Categories with their applications and hotkeys.',
  access: 'account',
  request: z.object({}),
  answer: z.object({
    data: z.object({
      keys,
      cats,
      apps: z.record(z.string(), rgb),
      /** Ours: hotkeys that a connected computer could not take, and its sentence why. */
      refused: z.array(
        z.object({
          device: z.string(),
          category: z.string(),
          action: z.enum(['up', 'down', 'mute']),
          reason: z.string(),
        }),
      ),
    }),
  }),
});

export const modifyapplicationcatinfo = call({
  method: 'POST',
  path: '/api/modifyapplicationcatinfo',
  summary: 'Saves categories and hotkeys, wholly or not at all.',
  access: 'account',
  bodyLimit: 1024 * 1024,
  request: z.object({
    keys,
    cats,
    /** Ours: what this page was sent; applications that came since stay where they are. */
    known: z.optional(z.array(z.string())),
    /** Ours: the same of categories; one that came since is not deleted because it is not in `cats`. */
    knownCategories: z.optional(z.array(z.string())),
  }),
  answer: z.object({}),
});

/** Ours, to every page of the account: categories, hotkeys, rules, or what a computer refused. */
export const categoriesChanged = serverEvent({ name: 'categorieschanged', delivery: 'all', data: z.object({}) });

// Rules sort applications that are new, and on wish those that are unassigned ---------------------------

/** `pattern` is part of a name, whatever its case; `*` stands for any text. The first that fits counts. */
const rule = z.object({
  pattern: z.string().check(z.minLength(1), z.maxLength(200)),
  category: z.string().check(z.minLength(1), z.maxLength(2 * CATEGORY_LIMIT)),
});

export const usagerules = call({
  method: 'GET',
  path: '/api/usagerules',
  summary: 'Rules that sort new applications, and suggestions for those that are unassigned.',
  access: 'account',
  request: z.object({}),
  answer: z.object({
    rules: z.array(rule),
    suggestions: z.array(z.object({ application: z.string(), category: z.string() })),
  }),
});

export const saveusagerules = call({
  method: 'POST',
  path: '/api/saveusagerules',
  summary: 'Saves the rules, and sorts what is unassigned by them where that is wished.',
  access: 'account',
  bodyLimit: 1024 * 1024,
  request: z.object({
    rules: z.array(rule).check(z.maxLength(RULES_LIMIT)),
    sortUnassigned: z.boolean(),
    /** The rules as the sender saw them last: where they are others now, nothing is saved. */
    known: z.optional(z.array(rule).check(z.maxLength(RULES_LIMIT))),
  }),
  answer: z.object({ sorted: z.int() }),
});

/** What a suggestion's button does. */
export const sortapplication = call({
  method: 'POST',
  path: '/api/sortapplication',
  summary: 'Puts one application into a category, which is made where it is missing.',
  access: 'account',
  request: z.object({ application: applicationName, category: rule.shape.category }),
  answer: z.object({}),
});
