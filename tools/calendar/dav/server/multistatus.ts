import type { EndpointResponse } from '#platform/server/http/endpoint.ts';
import { XML_TYPE } from './davRequest.ts';
import { type Element, emptyTag, escapeXml, createRoot, tag, type Xml } from './xml.ts';

const STATUS_LINES = {
  200: 'HTTP/1.1 200 OK',
  403: 'HTTP/1.1 403 Forbidden',
  404: 'HTTP/1.1 404 Not Found',
  424: 'HTTP/1.1 424 Failed Dependency',
  507: 'HTTP/1.1 507 Insufficient Storage',
} as const;

export function hrefTag(href: string): Xml {
  return tag('d:href', escapeXml(href));
}
export function statusTag(status: keyof typeof STATUS_LINES): Xml {
  return tag('d:status', STATUS_LINES[status]);
}

export function propstat(status: keyof typeof STATUS_LINES, props: readonly Xml[], ...more: readonly Xml[]): Xml {
  return tag('d:propstat', tag('d:prop', ...props), statusTag(status), ...more);
}

/** Formats the properties of one resource, and those that it doesn't have. */
export function formatResponse(
  href: string,
  { found, missing }: { readonly found: readonly Xml[]; readonly missing: readonly Element[] },
  isMinimal: boolean,
): Xml {
  const absent = isMinimal ? [] : missing;
  return tag(
    'd:response',
    hrefTag(href),
    ...(found.length > 0 || absent.length === 0 ? [propstat(200, found)] : []),
    ...(absent.length > 0 ? [propstat(404, absent.map(emptyTag))] : []),
  );
}

/** Formats a resource that has only a status. */
export function formatStatusResponse(href: string, status: keyof typeof STATUS_LINES, ...more: readonly Xml[]): Xml {
  return tag('d:response', hrefTag(href), statusTag(status), ...more);
}

/** Answers up to this length are sent as a whole; longer ones are streamed. */
const CHUNK_LENGTH = 64 * 1024;

/** Answers 207 with the parts, in order. An error before the first chunk was sent becomes a normal error response. */
export async function createMultistatus(
  parts: AsyncIterable<Xml> | Iterable<Xml>,
  isMinimal = false,
): Promise<EndpointResponse> {
  const [open, close] = createRoot('d:multistatus');
  const headers = { 'content-type': XML_TYPE, ...(isMinimal ? { 'preference-applied': 'return=minimal' } : {}) };
  const rest = (async function* all() {
    yield* parts;
    yield close;
  })();
  let text: string = open;
  for (;;) {
    const next = await rest.next();
    if (next.done) return { status: 207, headers, body: text };
    text += next.value;
    if (text.length > CHUNK_LENGTH) break;
  }
  const firstChunk = text;
  const body = async function* () {
    yield firstChunk;
    yield* rest;
  };
  return { status: 207, headers, body: body() };
}
