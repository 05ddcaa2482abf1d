import * as z from 'zod/mini';
import { call } from './call.ts';
import { HOUR_SECONDS } from './duration.ts';
import { secondStep, ticket } from './secondFactor.ts';
import { days, newSession } from './session.ts';

/** Path of a page of this site, to open after the login. Browsers read `\` as `/`, and skip tabs. */
const path = z.optional(z.string().check(z.maxLength(300), z.regex(/^\/(?![/\\])[^\s\\]*$/)));

/** Also sets a cookie, which only this browser can finish the login with. */
export const startsinglesignon = call({
  route: 'POST /api/startsinglesignon',
  summary: 'Returns the address of the OpenID provider at which to log in.',
  access: 'anyone',
  usesReserve: true,
  request: z.object({ days, path }),
  answer: z.object({ address: z.string() }),
  rates: [{ times: 300, seconds: HOUR_SECONDS }],
});

/** Where a login continues: exactly one of these fields is there. */
const continuation = {
  session: z.optional(newSession),
  /** The account has a second factor, and the provider did not check one. `finishlogin` takes its ticket. */
  secondStep: z.optional(secondStep),
};

/** Takes the query with which the provider opened `/login` again. */
export const finishsinglesignon = call({
  route: 'POST /api/finishsinglesignon',
  summary: 'Completes a login at the OpenID provider.',
  access: 'anyone',
  usesReserve: true,
  request: z.object({ response: z.string().check(z.maxLength(6000)) }),
  answer: z.object({
    ...continuation,
    /** No account is linked yet. `completesinglesignon` takes the ticket. */
    choice: z.optional(
      z.object({
        ticket: z.string(),
        /** Suggested name of a new account; may be empty. */
        username: z.string(),
        canCreate: z.boolean(),
      }),
    ),
    /** The account that started it in its settings is linked now. */
    isLinked: z.optional(z.boolean()),
    /** As they were sent to `startsinglesignon`. */
    days,
    path,
  }),
  rates: [{ times: 300, seconds: HOUR_SECONDS }],
});

export const completesinglesignon = call({
  route: 'POST /api/completesinglesignon',
  summary: 'Links an existing account, or creates one, for somebody who has logged in at the OpenID provider.',
  access: 'anyone',
  request: z.object({ ticket, username: z.string(), password: z.string(), create: z.boolean() }),
  answer: z.object(continuation),
});
