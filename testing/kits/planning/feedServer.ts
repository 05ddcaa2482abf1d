import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenLocally } from '../server/localServer.ts';

/** A server on the internet with one calendar. */
export interface TestFeed extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/calendar.ics`. */
  readonly address: string;
  /** Sets the content to serve. */
  readonly setContent: (text: string) => void;
  /** Answers with this handler until `setContent` is called. */
  readonly setHandler: (how: (request: IncomingMessage, response: ServerResponse) => void) => void;
  /** Number of requests, and of those answered with 'not modified'. */
  readonly getRequestCount: () => number;
  readonly getNotModifiedCount: () => number;
}

/** Formats `VEVENT`s as a whole calendar. */
export function formatIcsFile(events: readonly string[], name?: string): string {
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Test//EN',
    ...(name === undefined ? [] : [`X-WR-CALNAME:${name}`]),
    ...events,
    'END:VCALENDAR',
    '',
  ].join('\r\n');
}

/** Formats an all-day event; day such as `20261123`. */
export function formatIcsEvent(uid: string, summary: string, day: string, ...more: readonly string[]): string {
  return [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    'DTSTAMP:20261101T000000Z',
    `DTSTART;VALUE=DATE:${day}`,
    `SUMMARY:${summary}`,
    ...more,
    'END:VEVENT',
  ].join('\r\n');
}

export async function startFeedServer(first: string, { etags = true } = {}): Promise<TestFeed> {
  let requestCount = 0;
  let unchanged = 0;
  let version = 0;
  let text = first;
  let other: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  const server = createServer({ keepAlive: false }, (request, response) => {
    requestCount += 1;
    if (other) {
      other(request, response);
      return;
    }
    const etag = `"${version}"`;
    const isKnown = etags && request.headers['if-none-match'] === etag;
    if (isKnown) unchanged += 1;
    response.writeHead(isKnown ? 304 : 200, { 'content-type': 'text/calendar', ...(etags ? { etag } : {}) });
    response.end(isKnown ? undefined : text);
  });
  const localServer = await listenLocally(server);
  return {
    ...localServer,
    address: `${localServer.origin}/calendar.ics`,
    setContent: (next) => {
      text = next;
      version += 1;
      other = undefined;
    },
    setHandler: (how) => void (other = how),
    getRequestCount: () => requestCount,
    getNotModifiedCount: () => unchanged,
  };
}
