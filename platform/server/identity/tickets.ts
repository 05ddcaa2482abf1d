import { MINUTE_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Seal } from '../storage/seal.ts';
import { generateSecret } from './tokens.ts';

/** How long a person has for the second step, such as unlocking a security key. */
const TICKET_TTL_MS = 10 * MINUTE_MS;

/** An opened ticket. Its id is random, and also the challenge for passkeys. */
export type OpenedTicket<Content> = Content & { readonly id: string; readonly expires: number };

interface TicketsDeps {
  readonly seal: Seal;
  readonly now: () => Temporal.Instant;
}

/**
 * Creates tickets: sealed texts that the client returns with the second step of an action. So the server stores nothing
 * for steps that never come, and any instance can answer the second one.
 */
export function createTickets({ seal, now }: TicketsDeps) {
  return {
    /** @param context what the ticket is for; it opens with the same context only. */
    create: (context: string, content: object): { readonly ticket: string; readonly id: string } => {
      const id = generateSecret();
      const expires = now().epochMilliseconds + TICKET_TTL_MS;
      return { ticket: seal.seal(JSON.stringify({ ...content, id, expires }), `ticket ${context}`), id };
    },
    /** Returns undefined if the ticket is for something else. @throws Refusal if it has expired. */
    open: <Content extends object>(context: string, ticket: string): OpenedTicket<Content> | undefined => {
      const text = seal.open(ticket, `ticket ${context}`);
      if (text === undefined) return undefined;
      // Only this server can seal a text, so its content needs no validation.
      const opened = JSON.parse(text) as OpenedTicket<Content>;
      if (opened.expires <= now().epochMilliseconds) refuseTicket();
      return opened;
    },
  };
}

export type Tickets = ReturnType<typeof createTickets>;

/** @throws Refusal for a ticket that has expired, was used before or is for something else. */
export function refuseTicket(): never {
  throw new Refusal('auth.step_expired', 'This took too long, or was already done. Start again');
}
