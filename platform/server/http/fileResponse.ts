import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FileAnswer, FileResponse } from '#platform/contract/call.ts';
import type { Ranged } from '#platform/contract/ranged.ts';
import { sendRanged, IDLE_TIMEOUT_MS } from './send.ts';

/** Whether a handler gave what its call declares. */
export const isFileResponse = (given: object, { fileTypes }: FileAnswer): given is FileResponse =>
  'content' in given && 'type' in given && fileTypes.some((type) => type === given.type);

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
export const formatAttachmentDisposition = (name: string): string => disposed('attachment', name);
/** Of what is shown, or played, where it is; kept under that name where somebody keeps it. */
export const formatInlineDisposition = (name: string): string => disposed('inline', name);

export const isRangedContent = (content: object): content is Ranged => 'read' in content && 'etag' in content;

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
export const sendFile = (request: FastifyRequest, reply: FastifyReply, given: FileResponse): FastifyReply => {
  const { content } = given;
  if (typeof content === 'object' && isRangedContent(content))
    return sendRanged(request, reply.headers(headersOf(given)), content);
  const isWhole = typeof content === 'string' || content instanceof Uint8Array;
  request.raw.socket.setTimeout(IDLE_TIMEOUT_MS);
  return reply.headers(headersOf(given)).send(isWhole ? Buffer.from(content) : Readable.from(content));
};
