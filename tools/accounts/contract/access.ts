import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { HOUR_SECONDS } from '#platform/contract/duration.ts';
import { id, requestedId } from '#platform/contract/fields.ts';
import { SIGNUP_RULES } from '#platform/contract/session.ts';

/** `open` is an older form of `rule`. Only for the owner. */
export const setsignup = call({
  route: 'POST /api/setsignup',
  usesReserve: true,
  summary: 'Decides who may sign up. Only for the owner.',
  access: 'account',
  request: z.object({ open: z.optional(z.boolean()), rule: z.optional(z.enum(SIGNUP_RULES)) }),
});

const invitation = z.object({
  id,
  /** Whom it is for; may be empty. */
  name: z.string(),
  created: z.string(),
  expires: z.string(),
  /** How many accounts it may create. */
  maxUses: z.int(),
  uses: z.int(),
});

/** Newest first, without expired ones. Times are ISO 8601. Only for the owner. */
export const invitations = call({
  route: 'POST /api/invitations',
  summary: 'Returns the invitations to sign up. Only for the owner.',
  access: 'account',
  answer: z.object({ invitations: z.array(invitation) }),
});

export const MAX_INVITATION_DAYS = 90;

/** The link is `/signup#invitation=<secret>`. The secret is only returned here. Only for the owner. */
export const makeinvitation = call({
  route: 'POST /api/makeinvitation',
  summary: 'Creates an invitation to sign up. Only for the owner.',
  access: 'account',
  request: z.object({
    name: z.string().check(z.maxLength(300)),
    days: z.int().check(z.gte(1), z.lte(MAX_INVITATION_DAYS)),
    maxUses: z.int().check(z.gte(1), z.lte(100)),
  }),
  answer: z.object({ ...invitation.shape, secret: z.string() }),
  rates: [{ times: 60, seconds: HOUR_SECONDS }],
});

/** Only for the owner. */
export const revokeinvitation = call({
  route: 'POST /api/revokeinvitation',
  usesReserve: true,
  summary: 'Revokes an invitation. Only for the owner.',
  access: 'account',
  request: z.object({ id: requestedId }),
});

/** Oldest first. Times are ISO 8601. Only for the owner. */
export const serveraccounts = call({
  route: 'POST /api/serveraccounts',
  summary: 'Returns the accounts of the server. Only for the owner.',
  access: 'account',
  answer: z.object({
    accounts: z.array(
      z.object({
        id,
        username: z.string(),
        isOwner: z.boolean(),
        created: z.string(),
        /** Last use of a session; absent without one. */
        lastSeen: z.optional(z.string()),
        hasSecondFactor: z.boolean(),
        /** Size of its recordings, songs and pastes. */
        storedBytes: z.int(),
        /** Since when it is suspended; absent if it is active. */
        suspended: z.optional(z.string()),
      }),
    ),
  }),
});

/** A suspended account can't log in, and everything it uses is refused. It loses nothing. Only for the owner. */
export const suspendaccount = call({
  route: 'POST /api/suspendaccount',
  usesReserve: true,
  summary: 'Suspends an account, or lifts its suspension. Only for the owner.',
  access: 'account',
  request: z.object({ id: requestedId, suspended: z.boolean() }),
});
