import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ByteRange, Ranged } from '#platform/contract/ranged.ts';
import { resolveRange } from './range.ts';

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
export const sendRanged = (request: FastifyRequest, reply: FastifyReply, body: Ranged): FastifyReply => {
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
};
