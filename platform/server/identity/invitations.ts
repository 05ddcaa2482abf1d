import type { FastifyBaseLogger } from 'fastify';
import type { Transaction } from 'kysely';
import { DAY_MS } from '#platform/contract/duration.ts';
import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { logSecurityEvent } from '../operations/logger.ts';
import { cleanName } from './appPasswords.ts';
import type { Invitations } from './identity.ts';
import type { InvitationStore } from './invitationStore.ts';
import { generateSecret, hashSecret, isSecret } from './tokens.ts';

const MAX_INVITATIONS = 100;
const MAX_NAME_LENGTH = 60;

function parseName(typed: string): string {
  const name = cleanName(typed);
  if (countCodePoints(name) > MAX_NAME_LENGTH)
    throw new Refusal('invitation.name_too_long', `This name is too long. Enter at most ${MAX_NAME_LENGTH} characters`);
  return name;
}

function refuseInvitation(): never {
  throw new Refusal(
    'account.invitation_invalid',
    'This invitation has expired, was revoked or was used. Ask the owner of this server for a new one',
  );
}

interface InvitationsDeps {
  readonly store: InvitationStore;
  readonly now: () => Temporal.Instant;
  readonly log: FastifyBaseLogger;
}

/** An invitation that was checked. `use` counts it in the transaction that creates the account. */
export interface CheckedInvitation {
  /** @throws Refusal if it was used up or revoked meanwhile. */
  readonly use: (tx: Transaction<unknown>) => Promise<void>;
}

/** Creates the service of invitations. Their secrets have 256 bits, so no wrong attempt needs to be throttled. */
export function createInvitations({ store, now, log }: InvitationsDeps) {
  const getNowMs = (): number => now().epochMilliseconds;
  const service: Invitations = {
    list: () => store.list(getNowMs()),

    create: async ({ name: typed, days, maxUses }, { account, address }) => {
      const name = parseName(typed);
      const created = getNowMs();
      await store.removeExpired(created);
      if ((await store.list(created)).length >= MAX_INVITATIONS)
        throw new Refusal(
          'invitation.limit_reached',
          `There are already ${MAX_INVITATIONS} invitations. Revoke one that is no longer needed`,
        );
      const secret = generateSecret();
      const expires = created + days * DAY_MS;
      const invitation = await store.insert({ hash: hashSecret(secret), name, created, expires, maxUses });
      logSecurityEvent(log, 'invitation.made', { account, address });
      return { ...invitation, secret };
    },

    revoke: async (id, { account, address }) => {
      if (!(await store.remove(id)))
        throw new Refusal('invitation.not_found', 'There is no such invitation. It may have been revoked already');
      logSecurityEvent(log, 'invitation.revoked', { account, address });
    },
  };
  return {
    service,
    /** @throws Refusal without an invitation, and for one that has expired, was revoked or was used. */
    check: async (secret: string | undefined): Promise<CheckedInvitation> => {
      if (secret === undefined)
        throw new Refusal(
          'account.invitation_needed',
          'You need an invitation to sign up on this server. Ask its owner for a link',
        );
      const hash = isSecret(secret) ? hashSecret(secret) : '';
      if (!(await store.isUsable(hash, getNowMs()))) refuseInvitation();
      return {
        use: async (tx) => {
          if (!(await store.use(tx, hash, getNowMs()))) refuseInvitation();
        },
      };
    },
  };
}

export type InvitationService = ReturnType<typeof createInvitations>;
