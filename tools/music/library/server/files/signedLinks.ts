import type { Identity } from '#platform/server/identity/identity.ts';
import type { LinkSigner } from '#platform/server/storage/linkSigner.ts';

/** How long links are valid: those of the pages, and those in playlist files. */
export const PAGE_LINK = { hours: 6 };
export const LIST_LINK = { hours: 24 };

interface SignedLinksDeps {
  readonly links: LinkSigner;
  readonly identity: Pick<Identity, 'getLinkGeneration'>;
  readonly now: () => Temporal.Instant;
}

/**
 * Creates the signed links of the tool. A link is valid for one thing of one account, until it expires or is revoked.
 */
export function createSignedLinks({ links, identity, now }: SignedLinksDeps) {
  const getLinkContent = async (account: number, purpose: string) => ({
    purpose,
    account,
    generation: (await identity.getLinkGeneration(account)) ?? -1,
  });
  return {
    /** Returns a function that signs links with `?e=…&s=…`. */
    createQueryFormatter: async (
      account: number,
      duration: { readonly hours: number },
    ): Promise<{ readonly until: Temporal.Instant; readonly formatQuery: (purpose: string) => string }> => {
      const until = now().add(duration);
      const linkContent = await getLinkContent(account, '');
      return { until, formatQuery: (purpose) => links.formatQuery({ ...linkContent, purpose }, until) };
    },
    verify: async (account: number, purpose: string, query: URLSearchParams): Promise<boolean> =>
      links.verify(await getLinkContent(account, purpose), { e: query.get('e'), s: query.get('s') }, now()),
  };
}

export type SignedLinks = ReturnType<typeof createSignedLinks>;

export function getSongPurpose(id: number): string {
  return `song:${id}`;
}
export function getTicketPurpose(id: string): string {
  return `musicticket:${id}`;
}

/** Relative to the base of the API. */
export function getStreamPath(id: number): `/api/stream/${number}` {
  return `/api/stream/${id}`;
}
export function getTicketPath(id: string): string {
  return `/api/musicfile/${id}`;
}
