import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { EgressRefusal } from './egress.ts';

const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
};
/** What `receive` can unpack. */
export const ACCEPTED_ENCODINGS = 'gzip, br';

const sizeWords = (bytes: number): string =>
  bytes >= 1024 * 1024 ? `${Math.floor(bytes / 1024 / 1024)} MiB` : `${Math.ceil(bytes / 1024)} KiB`;

const tooLarge = (limit: number): EgressRefusal =>
  new EgressRefusal('answer', `What came from there is larger than ${sizeWords(limit)}`);

/** Hands on what it gets, up to so many bytes. */
const createSizeLimit = (limit: number, heard?: () => void) =>
  async function* counted(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let size = 0;
    for await (const chunk of source) {
      heard?.();
      size += chunk.length;
      if (size > limit) throw tooLarge(limit);
      yield chunk;
    }
  };

/** What packs an answer; undefined where nothing does. @throws EgressRefusal */
const unpackerOf = ({ statusCode, headers }: IncomingMessage): Transform | undefined => {
  const coding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  // These have no body, whatever their headers say of it.
  if (coding === '' || coding === 'identity' || statusCode === 204 || statusCode === 304) return undefined;
  const make = Object.hasOwn(unpackers, coding) ? unpackers[coding] : undefined;
  if (make) return make();
  throw new EgressRefusal('answer', 'What came from there is packed in a way that this server does not know');
};

const isOfPacking = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(Z_|ERR_BROTLI|ERR__ERROR_)/.test(String(error.code));

interface ReceiveOptions {
  readonly limit: number;
  /** Called with every piece that comes. */
  readonly heard: () => void;
}

/** Reads the body of an answer and unpacks it, counted while it comes: neither a large one nor a small one that unpacks to gigabytes fills the memory. @throws EgressRefusal */
export const readResponseBody = async (
  response: IncomingMessage,
  { limit, heard }: ReceiveOptions,
): Promise<Uint8Array> => {
  const unpacker = unpackerOf(response);
  if (Number(response.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const chunks: Buffer[] = [];
  const collect = async (source: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of source) chunks.push(chunk);
  };
  try {
    if (unpacker) await pipeline(response, createSizeLimit(limit, heard), unpacker, createSizeLimit(limit), collect);
    else await pipeline(response, createSizeLimit(limit, heard), collect);
  } catch (cause) {
    if (isOfPacking(cause)) throw new EgressRefusal('answer', 'What came from there is packed wrongly', { cause });
    throw cause;
  }
  return Buffer.concat(chunks);
};
