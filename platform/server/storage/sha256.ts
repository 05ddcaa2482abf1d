import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

const CHUNK_BYTES = 1024 * 1024;

/** Reads a file in chunks that are large enough to be fast. */
export function readChunks(path: string): AsyncIterable<Uint8Array> {
  return createReadStream(path, { highWaterMark: CHUNK_BYTES });
}

/** Passes chunks on. `onDigest` gets their SHA-256 in hexadecimal digits before the end, and may throw. */
export async function* hashChunks(
  chunks: AsyncIterable<Uint8Array>,
  onDigest: (sha256: string) => void,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
  onDigest(hash.digest('hex'));
}

/** Computes the SHA-256 of a file, in hexadecimal digits. */
export async function computeSha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of readChunks(path)) hash.update(chunk);
  return hash.digest('hex');
}
