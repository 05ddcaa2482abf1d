import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FileAnswer, GivenFile } from '#platform/contract/call.ts';

/** A download that its reader holds up is silent for long; other connections are closed sooner (reliability.md section 3). */
const SILENT_MS = 15 * 60_000;

/** Whether a handler gave what its call declares. */
export const isGivenFile = (given: object, { fileTypes }: FileAnswer): given is GivenFile =>
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

/** The `Content-Disposition` of a download (RFC 6266): the name in ASCII for old programs, and as it is. */
export const downloadAs = (name: string): string => {
  const clean = cleaned(name);
  const ascii = clean.replaceAll(/[^\x20-\x7e]/gu, '_');
  return `attachment; filename="${ascii}"; filename*=UTF-8''${escaped(clean)}`;
};

const headersOf = ({ type, name, size }: GivenFile): Readonly<Record<string, string>> => ({
  'content-type': type.startsWith('text/') ? `${type}; charset=utf-8` : type,
  ...(name === undefined ? {} : { 'content-disposition': downloadAs(name) }),
  ...(size === undefined ? {} : { 'content-length': String(size) }),
});

/** Answers a file. One that breaks off ends the connection, so that its reader does not take it for whole. */
export const sendFile = (request: FastifyRequest, reply: FastifyReply, given: GivenFile): FastifyReply => {
  const { content } = given;
  const isWhole = typeof content === 'string' || content instanceof Uint8Array;
  request.raw.socket.setTimeout(SILENT_MS);
  return reply.headers(headersOf(given)).send(isWhole ? Buffer.from(content) : Readable.from(content));
};
