import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { askedId, id } from '#platform/contract/fields.ts';

const sessionInfo = z.object({
  id,
  /** The one that asks. */
  own: z.boolean(),
  created: z.string(),
  lastSeen: z.string(),
  expires: z.string(),
  address: z.string(),
  browser: z.string(),
});

/** The account's own overview, as the settings show it. `devices` are names, `sessions` those of persons. Times are ISO 8601. */
export const checkaccounts = call({
  method: 'POST',
  path: '/api/checkaccounts',
  summary: "The account's own overview.",
  access: 'account',
  request: z.object({}),
  answer: z.object({
    username: z.string(),
    isOwner: z.boolean(),
    created: z.string(),
    devices: z.array(z.string()),
    sessions: z.array(sessionInfo),
  }),
});

export const changepassword = call({
  method: 'POST',
  path: '/api/changepassword',
  summary: 'Changes the password and ends all other sessions.',
  access: 'account',
  request: z.object({ password: z.string(), newPassword: z.string() }),
  answer: z.object({ ended: z.int() }),
});

/** Without ids: all but the own one. */
export const endsessions = call({
  method: 'POST',
  path: '/api/endsessions',
  summary: 'Ends sessions of the account.',
  access: 'account',
  request: z.object({ ids: z.optional(z.array(askedId).check(z.maxLength(100))) }),
  answer: z.object({ ended: z.int() }),
});

export const exportaccount = call({
  method: 'POST',
  path: '/api/exportaccount',
  summary: "All of the account's data as JSON, by tool.",
  access: 'account',
  request: z.object({ password: z.string() }),
  answer: z.object({ data: z.record(z.string(), z.unknown()) }),
});

export const deleteaccount = call({
  method: 'POST',
  path: '/api/deleteaccount',
  summary: 'Deletes the account with all its data.',
  access: 'account',
  request: z.object({ password: z.string() }),
  answer: z.object({}),
});

/** The owner alone. */
export const setsignup = call({
  method: 'POST',
  path: '/api/setsignup',
  summary: 'Opens or closes sign-up; the owner alone.',
  access: 'account',
  request: z.object({ open: z.boolean() }),
  answer: z.object({}),
});
