import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import type { AccountStore } from './accountStore.ts';
import { matchesSetupCode, generateSetupCode } from './setupCode.ts';

const refuseUnowned = (): never => {
  throw new Refusal('This server has no owner yet: use the set-up link shown where it was started');
};

/** Who may become the owner, and whether others may sign up (reliability.md section 1, 'First account'). */
export const createOwnership = (accounts: AccountStore) => {
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
};

export type Ownership = ReturnType<typeof createOwnership>;
