import { randomBytes } from 'node:crypto';
import type { ServerContext } from '#platform/server/tool.ts';
import type { MusicStore } from '../store/musicStores.ts';
import type { Ticket } from '../store/ticketStore.ts';
import { PAGE_LINK, ticketPath, ticketPurpose, type SignedLinks } from './signedLinks.ts';
import type { SendRequest } from './wanted.ts';

const ID = /^[\w-]{22}$/;

interface TicketsDeps extends Pick<ServerContext, 'database'> {
  readonly store: MusicStore;
  readonly links: SignedLinks;
}

/** Addresses of downloads: what was asked for is kept, so that the browser alone can pause it and take it up again. */
export const createTickets = ({ database, store, links }: TicketsDeps) => ({
  /** The address, for as long as pages' links hold. */
  issue: async (account: number, { kind, title, songs }: SendRequest): Promise<string> => {
    const id = randomBytes(16).toString('base64url');
    const { until, of } = await links.queries(account, PAGE_LINK);
    const ticket: Ticket = {
      id,
      account,
      kind,
      title,
      songs: songs.map((song) => song.id),
      until: until.epochMilliseconds,
    };
    await database.transaction(({ tx }) => store.tickets.make(tx, ticket));
    return `${ticketPath(id)}${of(ticketPurpose(id))}`;
  },
  /** Undefined for an address that is wrong, over, or ended. */
  honour: async (id: string, query: URLSearchParams): Promise<Ticket | undefined> => {
    const ticket = ID.test(id) ? await store.tickets.one(id) : undefined;
    if (!ticket || !(await links.holds(ticket.account, ticketPurpose(id), query))) return undefined;
    return ticket;
  },
});

export type Tickets = ReturnType<typeof createTickets>;
