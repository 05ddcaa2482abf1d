import { parseXml, XmlElement } from '@rgrove/parse-xml';
import { makeapppassword } from '#tools/accounts/contract.ts';
import type { TestAccount, TestServer } from '../server/server.ts';

export interface DavReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A calendar client that sends exactly what the test says. */
export interface DavClient {
  readonly username: string;
  readonly password: string;
  readonly authorization: string;
  /** Path of the calendar. */
  readonly collection: string;
  readonly request: (
    method: string,
    path: string,
    more?: { readonly body?: string | Uint8Array | undefined; readonly headers?: Readonly<Record<string, string>> },
  ) => Promise<DavReply>;
  /** Sends a body of XML, with `Depth: 1` by default. */
  readonly xml: (
    method: string,
    path: string,
    body?: string,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<DavReply>;
  readonly put: (resource: string, text: string, headers?: Readonly<Record<string, string>>) => Promise<DavReply>;
}

export function formatBasicAuth(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** Creates a client for an account's calendar with a new app password. */
export async function createDavClient(
  { origin }: Pick<TestServer, 'origin'>,
  account: TestAccount,
): Promise<DavClient> {
  const { password } = await account.call(makeapppassword, { name: 'Test' });
  const authorization = formatBasicAuth(account.name, password);
  const collection = `/dav/calendars/${encodeURIComponent(account.name)}/events/`;
  const ask: DavClient['request'] = async (method, path, { body, headers = {} } = {}) => {
    const answer = await fetch(origin + path, {
      method,
      redirect: 'manual',
      headers: { authorization, ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? new TextEncoder().encode(body) : body.slice() }),
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  return {
    username: account.name,
    password,
    authorization,
    collection,
    request: ask,
    xml: (method, path, body, headers = {}) =>
      ask(method, path, {
        body,
        headers: { depth: '1', ...(body === undefined ? {} : { 'content-type': 'application/xml' }), ...headers },
      }),
    put: (resource, text, headers = {}) =>
      ask('PUT', collection + resource, { body: text, headers: { 'content-type': 'text/calendar', ...headers } }),
  };
}

const listElements = (element: XmlElement): readonly XmlElement[] =>
  element.children.filter((child) => child instanceof XmlElement);
const named = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element && listElements(element).find((child) => child.name === name);

/** A response of a multistatus. */
export interface DavResponse {
  readonly href: string;
  /** Status of the whole response, if it has one. */
  readonly status: string | undefined;
  /** Properties by prefixed name: the text, or the names of child elements. */
  readonly props: Readonly<Record<string, string>>;
  /** Names of other properties, by the number of their status. */
  readonly others: Readonly<Record<string, readonly string[]>>;
}

function getValue(element: XmlElement): string {
  const inner = listElements(element);
  return inner.length === 0
    ? element.text
    : inner.map((child) => (child.text === '' ? `<${child.name}>` : child.text)).join(' ');
}

const getNumber = (element: XmlElement | undefined): string =>
  / (\d+) /.exec(named(element, 'd:status')?.text ?? '')?.[1] ?? '';

function toResponse(element: XmlElement): DavResponse {
  const stats = listElements(element).filter(({ name }) => name === 'd:propstat');
  function props(stat: XmlElement): readonly XmlElement[] {
    const prop = named(stat, 'd:prop');
    return prop === undefined ? [] : listElements(prop);
  }
  const ok = stats.filter((stat) => getNumber(stat) === '200').flatMap(props);
  return {
    href: named(element, 'd:href')?.text ?? '',
    status: getNumber(element) || undefined,
    props: Object.fromEntries(ok.map((prop) => [prop.name, getValue(prop)])),
    others: Object.fromEntries(
      stats
        .filter((stat) => getNumber(stat) !== '200')
        .map((stat) => [getNumber(stat), props(stat).map(({ name }) => name)]),
    ),
  };
}

/** Parses a multistatus. Throws if it is not one, or not XML. */
export function parseMultistatus(text: string): {
  readonly responses: readonly DavResponse[];
  readonly token: string | undefined;
} {
  const { root } = parseXml(text);
  if (root?.name !== 'd:multistatus') throw new Error(`no multistatus: ${text.slice(0, 300)}`);
  return {
    responses: listElements(root)
      .filter(({ name }) => name === 'd:response')
      .map(toResponse),
    token: named(root, 'd:sync-token')?.text,
  };
}

/** Returns the names of the conditions in an error body. */
export function parseConditions(text: string): readonly string[] {
  const { root } = parseXml(text);
  return root === null ? [] : listElements(root).map(({ name }) => name);
}

/** Formats lines as a calendar object. */
export function formatCalendar(...lines: readonly string[]): string {
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Phone//EN', ...lines, 'END:VCALENDAR', ''].join('\r\n');
}

/** Formats one event as a calendar object; `lines`: its other properties. */
export function formatEvent(uid: string, ...lines: readonly string[]): string {
  return formatCalendar('BEGIN:VEVENT', `UID:${uid}`, 'DTSTAMP:20261101T120000Z', ...lines, 'END:VEVENT');
}
