import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FileAnswer, FileResponse, RangedFile, ByteRange } from '#platform/contract/call.ts';
import { MINUTE_MS } from '#platform/contract/duration.ts';

/** Headers that select a part of a file. */
export interface RangeHeaders {
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

const parseCount = (text: string): number | undefined =>
  text === '' ? undefined : Math.min(Number(text), Number.MAX_SAFE_INTEGER);

/** Parses a header with exactly one range; one of its numbers may be missing. Returns undefined if it is invalid. */
function parseRangeHeader(header: string | undefined): { readonly first?: number; readonly last?: number } | undefined {
  const [, firstText = '', lastText = ''] = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '') ?? [];
  const [first, last] = [parseCount(firstText), parseCount(lastText)];
  if (first === undefined) return last === undefined ? undefined : { last };
  if (last === undefined) return { first };
  return last < first ? undefined : { first, last };
}

/**
 * Parses a `Range` header (RFC 9110, section 14).
 * Returns undefined for the whole file (no header, an invalid one, or several ranges), 'none' if the range is outside.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'none' | undefined {
  const requested = parseRangeHeader(header);
  if (!requested) return undefined;
  const { first, last = size } = requested;
  // `bytes=-n` means the last n bytes.
  const from = first ?? Math.max(0, size - last);
  if (from >= size) return 'none';
  return { from, to: first === undefined ? size - 1 : Math.min(last, size - 1) };
}

/** Parses `Range` like `parseRange`, but returns the whole file if `If-Range` names another version. */
export function resolveRange(
  { range, ifRange }: RangeHeaders,
  { size, etag }: { readonly size: number; readonly etag: string },
): ByteRange | 'none' | undefined {
  return ifRange === undefined || ifRange === etag ? parseRange(range, size) : undefined;
}

/** A paused download may be idle for longer than other connections (docs/design/reliability.md section 8.1). */
export const IDLE_TIMEOUT_MS = 15 * MINUTE_MS;

/** Thrown when the client has disconnected, so that no error is reported. */
class ReaderDisconnectedError extends Error {}

/** Writes chunks as fast as the client reads them. @throws ReaderDisconnectedError if the client has gone. */
async function writeChunks(response: ServerResponse, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  let isDisconnected = response.destroyed;
  let wake: (() => void) | undefined;
  response.once('close', () => {
    isDisconnected = true;
    wake?.();
  });
  for await (const chunk of chunks) {
    if (isDisconnected) throw new ReaderDisconnectedError();
    await new Promise<void>((resolve) => {
      wake = resolve;
      // Called after the write, or after an error, which also sets `isDisconnected`.
      response.write(chunk, () => resolve());
    });
  }
  response.end();
}

async function writeBody(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, range }: { readonly body: RangedFile; readonly range: ByteRange },
): Promise<void> {
  const { raw } = reply;
  try {
    await writeChunks(raw, body.read(range));
  } catch (error) {
    // Cut the connection, so that the client does not take the part for the complete file.
    raw.destroy();
    if (!(error instanceof ReaderDisconnectedError)) request.log.warn({ err: error }, 'http.file.interrupted');
  }
}

const getLastValue = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.at(-1) : value;

const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);

/** Sends a file or the requested range. If the file is too short, the connection is cut, so that the client notices. */
export function sendRanged(request: FastifyRequest, reply: FastifyReply, body: RangedFile): FastifyReply {
  const { headers, method } = request;
  reply.headers({ 'accept-ranges': 'bytes', etag: body.etag });
  if (matchesEtag(headers['if-none-match'], body.etag) && method !== 'POST') return reply.code(304).send();
  const rangeHeaders = { range: headers.range, ifRange: getLastValue(headers['if-range']) };
  // Only GET has ranges (RFC 9110, section 14.2); players use POST as if it were GET.
  const range = method === 'HEAD' ? undefined : resolveRange(rangeHeaders, body);
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
  void writeBody(request, reply, { body, range: { from, to } });
  return reply;
}

/** Returns whether a handler returned one of the file types that its call declares. */
export function isFileResponse(result: object, { fileTypes }: FileAnswer): result is FileResponse {
  return 'content' in result && 'type' in result && fileTypes.some((type) => type === result.type);
}

/** Percent-encodes a text as RFC 5987 requires. */
const escapeExtendedValue = (text: string): string =>
  encodeURIComponent(text).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** Replaces characters that have a meaning in paths, so that the name is valid on every system. */
const sanitizeFileName = (name: string): string =>
  name
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}"*/:<>?\\|]/gu, '_')
    .replace(/^\.+/, '_');

function formatDisposition(disposition: 'attachment' | 'inline', name: string): string {
  const validName = sanitizeFileName(name);
  const asciiName = validName.replaceAll(/[^\x20-\x7e]/gu, '_');
  return `${disposition}; filename="${asciiName}"; filename*=UTF-8''${escapeExtendedValue(validName)}`;
}

/** Formats `Content-Disposition` of a download (RFC 6266): an ASCII name for old programs, and the real one. */
export function formatAttachmentDisposition(name: string): string {
  return formatDisposition('attachment', name);
}
/** Formats `Content-Disposition` of a file that the browser shows or plays; the name is used if the user saves it. */
export function formatInlineDisposition(name: string): string {
  return formatDisposition('inline', name);
}

/** Returns whether content supports ranges. */
export function isRangedContent(content: object): content is RangedFile {
  return 'read' in content && 'etag' in content;
}

const buildFileHeaders = ({
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

/** Sends a file response. If reading it fails, the connection is cut, so that the client notices. */
export function sendFile(request: FastifyRequest, reply: FastifyReply, response: FileResponse): FastifyReply {
  const { content } = response;
  if (typeof content === 'object' && isRangedContent(content))
    return sendRanged(request, reply.headers(buildFileHeaders(response)), content);
  const isComplete = typeof content === 'string' || content instanceof Uint8Array;
  request.raw.socket.setTimeout(IDLE_TIMEOUT_MS);
  return reply.headers(buildFileHeaders(response)).send(isComplete ? Buffer.from(content) : Readable.from(content));
}
