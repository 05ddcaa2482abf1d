import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import type { AccountStore } from './accountStore.ts';

/** Crockford's base32: no letter that is taken for a digit. */
const CODE_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 10;

/** 50 bits, such as `K7Q2M-0XWZD`. */
export function generateSetupCode(): string {
  const letters = [...randomBytes(CODE_LENGTH)]
    .map((byte) => CODE_ALPHABET.charAt(byte % CODE_ALPHABET.length))
    .join('');
  return `${letters.slice(0, CODE_LENGTH / 2)}-${letters.slice(CODE_LENGTH / 2)}`;
}

const plain = (code: string): string =>
  code
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');

/** Whether a person meant this code: case, hyphens, spaces and letters that look like digits make no difference. */
export function matchesSetupCode(typed: string, code: string): boolean {
  return timingSafeEqual(hash('sha256', plain(typed), 'buffer'), hash('sha256', plain(code), 'buffer'));
}

const refuseUnowned = (): never => {
  throw new Refusal('This server has no owner yet: use the set-up link shown where it was started');
};

/** Who may become the owner, and whether others may sign up (reliability.md section 1, 'First account'). */
export function createOwnership(accounts: AccountStore) {
  let isOwned = false;
  let code: string | undefined;

  const hasOwner = async (): Promise<boolean> => {
    isOwned ||= await accounts.hasOwner();
    return isOwned;
  };
  const setupCode = async (): Promise<string | undefined> => {
    if (await hasOwner()) return undefined;
    code ??= generateSetupCode();
    return code;
  };
  return {
    hasOwner,
    /** Made when first asked for; the same until there is an owner. */
    setupCode,
    refuseUnowned,

    /** Whether the caller may be the first account. @throws Refusal where there is none yet and the caller may not be it. */
    mayOwn: async (caller: { readonly isLocal: boolean; readonly setupCode: string | undefined }): Promise<boolean> => {
      const wanted = await setupCode();
      if (wanted === undefined) return false;
      return caller.isLocal || matchesSetupCode(caller.setupCode ?? '', wanted) || refuseUnowned();
    },

    /** @throws Refusal where the owner has closed sign-up. */
    refuseClosed: async (): Promise<void> => {
      if ((await hasOwner()) && !(await accounts.isSignupOpen()))
        throw new Refusal('Sign-up is closed on this server, ask its owner to open it');
    },

    /**
     * An owner stays as long as others have accounts: whom the server belongs to is not left to chance.
     * @throws Refusal saying so.
     */
    refuseLeaving: async (tx: Transaction<unknown>, account: number): Promise<void> => {
      await accounts.holdOwner(tx); // nobody signs up between the count and the end of the transaction
      if ((await accounts.isOwner(tx, account)) && (await accounts.countOthers(tx, account)) > 0)
        throw new Refusal(
          "You own this server and others have accounts on it: delete theirs first, with 'pegboard user delete'",
        );
    },

    taken: (): void => {
      isOwned = true;
      code = undefined;
    },
    /** The last account is gone: the next one is a first one again. */
    left: (): void => {
      isOwned = false;
    },
  };
}

export type Ownership = ReturnType<typeof createOwnership>;
