import type { Identity } from '#platform/server/identity/identity.ts';
import type { LinkSigner } from '#platform/server/storage/linkSigner.ts';

/** How long an address holds: one for the pages' own player and downloads, one in a list that is taken along. */
export const PAGE_LINK = { hours: 6 };
export const LIST_LINK = { hours: 24 };

interface SignedLinksDeps {
  readonly links: LinkSigner;
  readonly identity: Pick<Identity, 'getLinkGeneration'>;
  readonly now: () => Temporal.Instant;
}

/** The signed addresses of music. They hold for one thing of one account, until their time is over or the account ends its links. */
export function createSignedLinks({ links, identity, now }: SignedLinksDeps) {
  const permitOf = async (account: number, purpose: string) => ({
    purpose,
    account,
    generation: (await identity.getLinkGeneration(account)) ?? -1,
  });
  return {
    /** What stands behind the address of each: `?e=…&s=…`. */
    queries: async (
      account: number,
      lasts: { readonly hours: number },
    ): Promise<{ readonly until: Temporal.Instant; readonly of: (purpose: string) => string }> => {
      const until = now().add(lasts);
      const permit = await permitOf(account, '');
      return { until, of: (purpose) => links.formatQuery({ ...permit, purpose }, until) };
    },
    holds: async (account: number, purpose: string, query: URLSearchParams): Promise<boolean> =>
      links.verify(await permitOf(account, purpose), { e: query.get('e'), s: query.get('s') }, now()),
  };
}

export type SignedLinks = ReturnType<typeof createSignedLinks>;

export function songPurpose(id: number): string {
  return `song:${id}`;
}
export function ticketPurpose(id: string): string {
  return `musicticket:${id}`;
}

/** Below the API's base. */
export function streamPath(id: number): `/api/stream/${number}` {
  return `/api/stream/${id}`;
}
export function ticketPath(id: string): string {
  return `/api/musicfile/${id}`;
}
