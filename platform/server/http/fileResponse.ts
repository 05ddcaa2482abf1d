import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FileAnswer, FileResponse, Ranged, ByteRange } from '#platform/contract/call.ts';

/** What a request says of the bytes that it wants: its headers, as they came. */
export interface RangeHeaders {
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

const wholeOf = (text: string): number | undefined =>
  text === '' ? undefined : Math.min(Number(text), Number.MAX_SAFE_INTEGER);

/** The two numbers of a header with one range; one of them may be missing. Undefined where it is not understood. */
const numbersOf = (header: string | undefined): { readonly first?: number; readonly last?: number } | undefined => {
  const [, before = '', behind = ''] = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '') ?? [];
  const [first, last] = [wholeOf(before), wholeOf(behind)];
  if (first === undefined) return last === undefined ? undefined : { last };
  if (last === undefined) return { first };
  return last < first ? undefined : { first, last };
};

/**
 * The bytes that a `Range` header asks for, of so many (RFC 9110, section 14). Undefined for all of them: without a header, with one that is
 * not understood, and with one that asks for several ranges. 'none' where there are no such bytes.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'none' | undefined {
  const asked = numbersOf(header);
  if (!asked) return undefined;
  const { first, last = size } = asked;
  // With a last number alone, so many from the end.
  const from = first ?? Math.max(0, size - last);
  if (from >= size) return 'none';
  return { from, to: first === undefined ? size - 1 : Math.min(last, size - 1) };
}

/** The same, of a file with this tag: whoever has the beginning of another one gets all of it. */
export function resolveRange(
  { range, ifRange }: RangeHeaders,
  { size, etag }: { readonly size: number; readonly etag: string },
): ByteRange | 'none' | undefined {
  return ifRange === undefined || ifRange === etag ? parseRange(range, size) : undefined;
}

/** A reader that holds its download up is silent for long; other connections are closed sooner (reliability.md section 3). */
export const IDLE_TIMEOUT_MS = 15 * 60_000;

/** Whoever reads is gone: nothing to tell anybody. */
class ReaderDisconnected extends Error {}

/** Writes pieces as fast as they are taken. @throws Left where the reader is gone. */
const writeChunks = async (response: ServerResponse, pieces: AsyncIterable<Uint8Array>): Promise<void> => {
  let isLeft = response.destroyed;
  let wake: (() => void) | undefined;
  response.once('close', () => {
    isLeft = true;
    wake?.();
  });
  for await (const piece of pieces) {
    if (isLeft) throw new ReaderDisconnected();
    await new Promise<void>((resolve) => {
      wake = resolve;
      // Called when the system has it, or when it never will: then `isLeft` is found true.
      response.write(piece, () => resolve());
    });
  }
  response.end();
};

const writeOut = async (
  request: FastifyRequest,
  reply: FastifyReply,
  { body, range }: { readonly body: Ranged; readonly range: ByteRange },
): Promise<void> => {
  const { raw } = reply;
  try {
    await writeChunks(raw, body.read(range));
  } catch (error) {
    // What is missing must not look like an end.
    raw.destroy();
    if (!(error instanceof ReaderDisconnected)) request.log.warn({ err: error }, 'file.broke off');
  }
};

const lastHeader = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.at(-1) : value;

const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);

/** Answers with a file, or with the range of it that was asked for. A file that turns out shorter cuts the line, so that nobody takes it for whole. */
export function sendRanged(request: FastifyRequest, reply: FastifyReply, body: Ranged): FastifyReply {
  const { headers, method } = request;
  reply.headers({ 'accept-ranges': 'bytes', etag: body.etag });
  if (isKnown(headers['if-none-match'], body.etag) && method !== 'POST') return reply.code(304).send();
  const asked = { range: headers.range, ifRange: lastHeader(headers['if-range']) };
  const range = resolveRange(asked, body);
  if (range === 'none')
    return reply
      .code(416)
      .header('content-range', `bytes */${body.size}`)
      .removeHeader('content-type')
      .removeHeader('content-disposition')
      .send();
  const { from, to } = range ?? { from: 0, to: body.size - 1 };
  if (range) reply.code(206).header('content-range', `bytes ${from}-${to}/${body.size}`);
  reply.header('content-length', to - from + 1);
  if (method === 'HEAD') return reply.send();
  request.raw.socket.setTimeout(IDLE_TIMEOUT_MS);
  reply.hijack();
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>);
  void writeOut(request, reply, { body, range: { from, to } });
  return reply;
}

/** Whether a handler gave what its call declares. */
export function isFileResponse(given: object, { fileTypes }: FileAnswer): given is FileResponse {
  return 'content' in given && 'type' in given && fileTypes.some((type) => type === given.type);
}

/** What RFC 5987 lets stand unescaped. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** A name that every system keeps as it is: without the characters that mean something in paths. */
const cleaned = (name: string): string =>
  name
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}"*/:<>?\\|]/gu, '_')
    .replace(/^\.+/, '_');

const disposed = (how: 'attachment' | 'inline', name: string): string => {
  const clean = cleaned(name);
  const ascii = clean.replaceAll(/[^\x20-\x7e]/gu, '_');
  return `${how}; filename="${ascii}"; filename*=UTF-8''${escaped(clean)}`;
};

/** The `Content-Disposition` of a download (RFC 6266): the name in ASCII for old programs, and as it is. */
export function formatAttachmentDisposition(name: string): string {
  return disposed('attachment', name);
}
/** Of what is shown, or played, where it is; kept under that name where somebody keeps it. */
export function formatInlineDisposition(name: string): string {
  return disposed('inline', name);
}

export function isRangedContent(content: object): content is Ranged {
  return 'read' in content && 'etag' in content;
}

const headersOf = ({
  type,
  name,
  isInline = false,
  size,
  content,
}: FileResponse): Readonly<Record<string, string>> => ({
  'content-type': type.startsWith('text/') || typeof content === 'string' ? `${type}; charset=utf-8` : type,
  ...(name === undefined
    ? {}
    : { 'content-disposition': (isInline ? formatInlineDisposition : formatAttachmentDisposition)(name) }),
  ...(size === undefined ? {} : { 'content-length': String(size) }),
});

/** Answers a file. One that breaks off ends the connection, so that its reader does not take it for whole. */
export function sendFile(request: FastifyRequest, reply: FastifyReply, given: FileResponse): FastifyReply {
  const { content } = given;
  if (typeof content === 'object' && isRangedContent(content))
    return sendRanged(request, reply.headers(headersOf(given)), content);
  const isWhole = typeof content === 'string' || content instanceof Uint8Array;
  request.raw.socket.setTimeout(IDLE_TIMEOUT_MS);
  return reply.headers(headersOf(given)).send(isWhole ? Buffer.from(content) : Readable.from(content));
}
