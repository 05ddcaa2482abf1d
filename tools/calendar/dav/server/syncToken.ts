import type { AppPasswordUser } from '#platform/server/identity/identity.ts';

const PREFIX = 'urn:pegboard:sync:';

/** Tokens of `sync-collection`: the account's count of changes, for that account alone. */
export const SYNC = {
  write: ({ account }: AppPasswordUser, revision: number): string => `${PREFIX}${account}:${revision}`,
  /** Undefined for what is no token of this account. */
  read: ({ account }: AppPasswordUser, token: string): number | undefined => {
    const start = `${PREFIX}${account}:`;
    const digits = token.startsWith(start) ? token.slice(start.length) : '';
    return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
  },
} as const;
