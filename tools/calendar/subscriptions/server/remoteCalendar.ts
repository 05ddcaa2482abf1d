import { Refusal } from '#platform/contract/refusal.ts';
import { type EgressResponse, EgressRefusal } from '#platform/server/egress/egress.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { ICS_LIMIT_BYTES } from '../../contract/events.ts';
import { civilOf, dayOf, dayOfLocalMs, type Day } from '../../events/domain/day.ts';
import { type ReadIcs, readIcs } from '../../exchange/server/ics/readIcs.ts';
import { addressesToAsk } from './address.ts';

/** What the other server gave to ask 'anything new?' with. */
export interface Validators {
  readonly etag: string | undefined;
  readonly modified: string | undefined;
}

/** A calendar as it was read; undefined where it is what it was. */
export type Feed = { readonly read: ReadIcs; readonly validators: Validators } | undefined;

/** For all tries together. */
const TIMEOUT_MS = 18_000;
const VALIDATOR_LIMIT = 500;

const REASONS: Readonly<Record<number, string>> = {
  401: 'That calendar asks for a name and a password, or for other ones: https://name:password@…',
  403: 'That calendar may not be read under this address',
  404: 'There is no calendar under that address',
  410: 'There is no calendar under that address any more',
  429: 'The server there was asked too often; it is tried again later',
};

/** @throws Refusal where an answer is no calendar. */
const checkAnswer = ({ status, header }: EgressResponse): void => {
  if (status !== 200) throw new Refusal(REASONS[status] ?? `The server there answered with an error (${status})`);
  if (/^(text\/html|application\/xhtml)/i.test(header('content-type') ?? ''))
    throw new Refusal('That address leads to a web page, not to a calendar: look there for a link that ends in .ics');
};

const kept = (value: string | undefined): string | undefined =>
  value === undefined || value.length > VALIDATOR_LIMIT ? undefined : value;

/** Endless rules are worked out from the year's first day, so that the same file gives the same days all year. */
const firstOfYear = (now: Temporal.Instant): Day =>
  dayOf({ year: civilOf(dayOfLocalMs(now.epochMilliseconds)).year, month: 1, date: 1 });

/** Fetches and reads a calendar. @throws Refusal with a sentence for whoever subscribed. */
export const readFeed = async (
  { egress, identity, now }: Pick<ServerContext, 'egress' | 'identity' | 'now'>,
  { account, address, known }: { readonly account: number; readonly address: string; readonly known?: Validators },
): Promise<Feed> => {
  const headers = {
    accept: 'text/calendar, */*;q=0.1',
    ...(known?.etag === undefined ? {} : { 'if-none-match': known.etag }),
    ...(known?.modified === undefined ? {} : { 'if-modified-since': known.modified }),
  };
  const addresses = addressesToAsk(address);
  const request = { headers, maxBytes: ICS_LIMIT_BYTES, timeoutMs: TIMEOUT_MS / addresses.length };
  const ask = async ([first = '', ...others]: readonly string[]): Promise<EgressResponse> => {
    try {
      return await egress.fetch(first, request);
    } catch (error) {
      const isElsewhere = others.length > 0 && error instanceof EgressRefusal && error.fault === 'unreached';
      if (isElsewhere) return ask(others);
      throw error;
    }
  };
  const answer = await ask(addresses);
  if (known && answer.status === 304) return undefined;
  checkAnswer(answer);
  const read = await readIcs(answer.body, { zone: await identity.resolveZone(account), today: firstOfYear(now()) });
  return { read, validators: { etag: kept(answer.header('etag')), modified: kept(answer.header('last-modified')) } };
};
