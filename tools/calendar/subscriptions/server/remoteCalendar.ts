import { toCivilDate, toDay, type Day } from '#platform/contract/day.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { type EgressResponse, EgressRefusal } from '#platform/server/egress/egress.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { MAX_ICS_BYTES } from '../../contract/events.ts';
import { toLocalDay } from '../../events/domain/day.ts';
import { type ParsedIcs, readIcs } from '../../exchange/server/ics/readIcs.ts';

const INVALID_ADDRESS_MESSAGE =
  'This is not a calendar address. Enter one that begins with https://, http:// or webcal://';

/** Normalizes and validates a pasted address. @throws Refusal */
export function normalizeAddress(text: string): string {
  const typed = text.trim();
  const whole = /^[a-z][a-z\d+.-]*:/i.test(typed) && !/^[^/]+:\d/.test(typed) ? typed : `https://${typed}`;
  const match = /^(https?|webcals?):\/\/(\S+)$/i.exec(whole);
  const [scheme = '', rest = ''] = match?.slice(1) ?? [];
  const address = `${scheme.toLowerCase()}://${rest}`;
  if (!match || typed === '' || !URL.canParse(toHttps(address)))
    throw new Refusal('calendar.invalid_address', INVALID_ADDRESS_MESSAGE);
  return address;
}

const toHttps = (address: string): string => address.replace(/^\w+:/, 'https:');

function hasSecret(address: string): boolean {
  const { username, password } = new URL(address);
  return username !== '' || password !== '';
}

/**
 * Returns the addresses to try, in order. `webcal:` doesn't say whether https works, but credentials are only sent over
 * https.
 */
export function listAddresses(address: string): readonly string[] {
  if (!/^webcals?:/.test(address)) return [address];
  const secure = toHttps(address);
  const isSecureAlone = address.startsWith('webcals:') || hasSecret(secure);
  return isSecureAlone ? [secure] : [secure, secure.replace(/^https:/, 'http:')];
}

/** Returns the host, as a name for calendars without one. */
export function getHost(address: string): string {
  return new URL(toHttps(address)).hostname;
}

/** Values of the last response for conditional requests. */
export interface Validators {
  readonly etag: string | undefined;
  readonly modified: string | undefined;
}

/** A calendar that was read; undefined if it has not changed. */
export type Feed = { readonly read: ParsedIcs; readonly validators: Validators } | undefined;

/** Timeout of all attempts together. */
const TIMEOUT_MS = 18_000;
const MAX_VALIDATOR_LENGTH = 500;

const MESSAGE_BY_STATUS: Readonly<Record<number, string>> = {
  401: 'That calendar needs a username and password. Enter the address like https://name:password@…',
  403: 'You have no access to the calendar at this address',
  404: 'There is no calendar at that address. Check it for typos',
  410: 'The calendar at that address no longer exists',
  429: 'That server received too many requests. Pegboard will try again later',
};

/** Validates a response. @throws Refusal if it is no calendar */
function validateResponse({ status, header }: EgressResponse): void {
  if (status !== 200)
    throw new Refusal(
      'calendar.source_error',
      MESSAGE_BY_STATUS[status] ?? `That server responded with an error (${status})`,
    );
  if (/^(text\/html|application\/xhtml)/i.test(header('content-type') ?? ''))
    throw new Refusal(
      'calendar.source_is_web_page',
      'That address is a web page, not a calendar. Look on it for a link that ends in .ics',
    );
}

const limitValidator = (value: string | undefined): string | undefined =>
  value === undefined || value.length > MAX_VALIDATOR_LENGTH ? undefined : value;

/** Endless rules are computed from the first day of the year, so that a file produces the same days all year. */
const getFirstOfYear = (now: Temporal.Instant): Day =>
  toDay({ year: toCivilDate(toLocalDay(now.epochMilliseconds)).year, month: 1, date: 1 });

/** Fetches and parses a calendar. @throws Refusal with a sentence for the user */
export async function readFeed(
  { egress, identity, now }: Pick<ServerContext, 'egress' | 'identity' | 'now'>,
  {
    account,
    address,
    validators,
  }: { readonly account: number; readonly address: string; readonly validators?: Validators },
): Promise<Feed> {
  const headers = {
    accept: 'text/calendar, */*;q=0.1',
    ...(validators?.etag === undefined ? {} : { 'if-none-match': validators.etag }),
    ...(validators?.modified === undefined ? {} : { 'if-modified-since': validators.modified }),
  };
  const addresses = listAddresses(address);
  const request = { headers, maxBytes: MAX_ICS_BYTES, timeoutMs: TIMEOUT_MS / addresses.length };
  async function fetchFirst([first = '', ...others]: readonly string[]): Promise<EgressResponse> {
    try {
      return await egress.fetch(first, request);
    } catch (error) {
      const canTryNext = others.length > 0 && error instanceof EgressRefusal && error.fault === 'unreached';
      if (canTryNext) return fetchFirst(others);
      throw error;
    }
  }
  const response = await fetchFirst(addresses);
  if (validators && response.status === 304) return undefined;
  validateResponse(response);
  const read = await readIcs(response.body, {
    usesCalendarZone: true,
    zone: await identity.resolveZone(account),
    today: getFirstOfYear(now()),
  });
  return {
    read,
    validators: {
      etag: limitValidator(response.header('etag')),
      modified: limitValidator(response.header('last-modified')),
    },
  };
}
