import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';

/** Both fields are absent without an OpenID provider. */
export const singlesignon = call({
  route: 'GET /api/singlesignon',
  summary: 'Returns whether the account is linked to a person at the OpenID provider.',
  access: 'account',
  answer: z.object({
    /** Name of the provider. */
    provider: z.optional(z.string()),
    /** Absent if the account is not linked. The label is a username or e-mail address, and may be empty. */
    link: z.optional(z.object({ label: z.string(), created: z.string() })),
  }),
});

/** The provider opens `/login` afterwards, and `finishsinglesignon` links the account. */
export const linksinglesignon = call({
  route: 'POST /api/linksinglesignon',
  summary: 'Returns the address of the OpenID provider at which to log in, to link the account.',
  access: 'account',
  request: z.object({ password: z.string() }),
  answer: z.object({ address: z.string() }),
});

export const unlinksinglesignon = call({
  route: 'POST /api/unlinksinglesignon',
  summary: 'Removes the link of the account to a person at the OpenID provider.',
  access: 'account',
  usesReserve: true,
  request: z.object({ password: z.string() }),
});
