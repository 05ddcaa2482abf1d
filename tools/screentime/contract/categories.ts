import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { serverEvent } from '#platform/contract/event.ts';
import { MAX_CATEGORY_LENGTH, MAX_HOTKEY_LENGTH, MAX_RULES } from './limits.ts';
import { applicationName, rgb } from './shared.ts';

const key = z.string().check(z.maxLength(2 * MAX_HOTKEY_LENGTH));
const keys = z.record(z.string(), z.object({ up: key, down: key, mute: key }));
const cats = z.record(z.string(), z.array(z.string()));

export const applicationcatinfo = call({
  route: 'GET /api/applicationcatinfo',
  summary: 'Returns the categories with their applications and hotkeys.',
  access: 'account',
  answer: z.object({
    data: z.object({
      keys,
      cats,
      apps: z.record(z.string(), rgb),
      /**
       * Addition to the specification: hotkeys that a connected computer could not register, with a sentence that says
       * why.
       */
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
  route: 'POST /api/modifyapplicationcatinfo',
  summary: 'Saves categories and hotkeys, either all or none.',
  access: 'account',
  bodyLimit: 1024 * 1024,
  request: z.object({
    keys,
    cats,
    /** Addition to the specification: applications that this page knows. Newer ones stay where they are. */
    known: z.optional(z.array(z.string())),
    /**
     * Addition to the specification: categories that this page knows. Newer ones are not deleted if they are missing in
     * `cats`.
     */
    knownCategories: z.optional(z.array(z.string())),
  }),
});

/**
 * Addition to the specification: categories, hotkeys, rules or refused hotkeys have changed; sent to all pages of the
 * account.
 */
export const categoriesChanged = serverEvent({ name: 'categorieschanged', delivery: 'all', data: z.object({}) });

// Rules sort new applications and, on request, unassigned ones --------------------------------------

/** `pattern` is a part of a name, case-insensitive; `*` matches any text. The first matching rule counts. */
const rule = z.object({
  pattern: z.string().check(z.minLength(1), z.maxLength(200)),
  category: z.string().check(z.minLength(1), z.maxLength(2 * MAX_CATEGORY_LENGTH)),
});

export const usagerules = call({
  route: 'GET /api/usagerules',
  summary: 'Returns the rules that sort new applications, and suggestions for unassigned ones.',
  access: 'account',
  answer: z.object({
    rules: z.array(rule),
    suggestions: z.array(z.object({ application: z.string(), category: z.string() })),
  }),
});

export const saveusagerules = call({
  route: 'POST /api/saveusagerules',
  summary: 'Saves the rules, and optionally sorts unassigned applications by them.',
  access: 'account',
  bodyLimit: 1024 * 1024,
  request: z.object({
    rules: z.array(rule).check(z.maxLength(MAX_RULES)),
    sortUnassigned: z.boolean(),
    /** Rules as the sender last saw them. If they have changed since, nothing is saved. */
    known: z.optional(z.array(rule).check(z.maxLength(MAX_RULES))),
  }),
  answer: z.object({ sorted: z.int() }),
});

/** Accepts a suggestion. */
export const sortapplication = call({
  route: 'POST /api/sortapplication',
  summary: 'Moves an application to a category, which is created if needed.',
  access: 'account',
  request: z.object({ application: applicationName, category: rule.shape.category }),
});
