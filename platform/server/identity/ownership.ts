import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import type { AccountStore } from './accountStore.ts';
import type { CheckedInvitation, InvitationService } from './invitations.ts';

/** Crockford's base32, without letters that look like digits. */
const CODE_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 10;

/** Generates a code of 50 bits, such as `K7Q2M-0XWZD`. */
export function generateSetupCode(seed: Uint8Array = randomBytes(CODE_LENGTH)): string {
  const letters = [...seed.subarray(0, CODE_LENGTH)]
    .map((byte) => CODE_ALPHABET.charAt(byte % CODE_ALPHABET.length))
    .join('');
  return `${letters.slice(0, CODE_LENGTH / 2)}-${letters.slice(CODE_LENGTH / 2)}`;
}

const normalizeCode = (code: string): string =>
  code
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');

/** Compares a typed code. Case, hyphens, spaces and letters that look like digits make no difference. */
export function matchesSetupCode(typed: string, code: string): boolean {
  return timingSafeEqual(hash('sha256', normalizeCode(typed), 'buffer'), hash('sha256', normalizeCode(code), 'buffer'));
}

function refuseWithoutOwner(): never {
  throw new Refusal(
    'account.no_owner',
    'This server has no owner yet. Enter the set-up code that the server printed at startup, or open its link',
  );
}

/** Decides who may become the owner, and whether others may sign up (docs/design/reliability.md section 10.2). */
export function createOwnership(
  accounts: AccountStore,
  invitations: Pick<InvitationService, 'check'>,
  setupCodeSeed?: Uint8Array,
) {
  let isOwned = false;
  let code: string | undefined;

  async function hasOwner(): Promise<boolean> {
    isOwned ||= await accounts.hasOwner();
    return isOwned;
  }
  async function getSetupCode(): Promise<string | undefined> {
    if (await hasOwner()) return undefined;
    code ??= generateSetupCode(setupCodeSeed);
    return code;
  }
  return {
    hasOwner,
    /** Generates the code at the first call; it stays the same until there is an owner. */
    getSetupCode,
    refuseWithoutOwner,

    /**
     * Returns whether the caller may create the first account. @throws Refusal if there is none and the caller may not.
     */
    canBecomeOwner: async (caller: {
      readonly isLocal: boolean;
      readonly setupCode: string | undefined;
    }): Promise<boolean> => {
      const expectedCode = await getSetupCode();
      if (expectedCode === undefined) return false;
      return caller.isLocal || matchesSetupCode(caller.setupCode ?? '', expectedCode) || refuseWithoutOwner();
    },

    /**
     * Returns the invitation that a sign-up uses; undefined if it needs none.
     * @throws Refusal if the owner's rule does not allow the sign-up.
     */
    checkSignup: async (invitation: string | undefined): Promise<CheckedInvitation | undefined> => {
      const rule = (await hasOwner()) ? await accounts.getSignupRule() : 'open';
      if (rule === 'closed')
        throw new Refusal('account.signup_closed', 'Sign-up is closed on this server. Ask its owner to open it');
      return rule === 'invitation' ? invitations.check(invitation) : undefined;
    },

    /**
     * Protects the owner's account while others have accounts, since ownership must not pass to someone by chance.
     * @throws Refusal if it may not be deleted.
     */
    validateDeletion: async (tx: Transaction<unknown>, account: number): Promise<void> => {
      await accounts.lockOwner(tx); // lock sign-ups between the count and the end of the transaction
      if ((await accounts.isOwner(tx, account)) && (await accounts.countOthers(tx, account)) > 0)
        throw new Refusal(
          'account.owner_with_others',
          "You own this server, and other people have accounts on it. Delete those first, with 'pegboard user delete'",
        );
    },

    onOwnerCreated: (): void => {
      isOwned = true;
      code = undefined;
    },
    /** The last account may have been deleted, so that the next one becomes the owner. */
    onLastAccountDeleted: (): void => {
      isOwned = false;
    },
  };
}

export type Ownership = ReturnType<typeof createOwnership>;
