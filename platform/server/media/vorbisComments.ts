import type { TagChanges } from './tagChanges.ts';

const VENDOR = Buffer.from('pegboard');

const sized = (bytes: Buffer): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes.length);
  return Buffer.concat([size, bytes]);
};

interface Comments {
  readonly vendor: Buffer;
  readonly list: readonly Buffer[];
  /** What is behind them: Vorbis has a bit there, Opus may have padding. */
  readonly rest: Buffer;
}

/** Undefined where they are cut off. */
const parseComments = (bytes: Buffer): Comments | undefined => {
  let at = 0;
  const next = (): Buffer | undefined => {
    if (at + 4 > bytes.length) return undefined;
    const size = bytes.readUInt32LE(at);
    at += 4 + size;
    return at > bytes.length ? undefined : bytes.subarray(at - size, at);
  };
  const vendor = next();
  if (!vendor || at + 4 > bytes.length) return undefined;
  const count = bytes.readUInt32LE(at);
  at += 4;
  const list: Buffer[] = [];
  for (let left = count; left > 0; left -= 1) {
    const one = next();
    if (!one) return undefined;
    list.push(one);
  }
  return { vendor, list, rest: bytes.subarray(at) };
};

const nameOf = (comment: Buffer): string =>
  comment.toString('latin1', 0, Math.max(0, comment.indexOf('='))).toUpperCase();

/** Comments as FLAC, Ogg Vorbis and Opus have them, with some changed and all others as they were; undefined where they cannot be read. */
export function replaceComments(old: Buffer | undefined, { title, artists, album }: TagChanges): Buffer | undefined {
  const known = old ? parseComments(old) : { vendor: VENDOR, list: [], rest: Buffer.alloc(0) };
  if (!known) return undefined;
  const gone = new Set([
    ...(title === undefined ? [] : ['TITLE']),
    ...(artists === undefined ? [] : ['ARTIST', 'ARTISTS']),
    ...(album === undefined ? [] : ['ALBUM']),
  ]);
  const fresh = [
    ...(title ? [`TITLE=${title}`] : []),
    ...(artists ?? []).map((artist) => `ARTIST=${artist}`),
    ...(album ? [`ALBUM=${album}`] : []),
  ].map((text) => Buffer.from(text));
  const list = [...fresh, ...known.list.filter((comment) => !gone.has(nameOf(comment)))];
  const count = Buffer.alloc(4);
  count.writeUInt32LE(list.length);
  return Buffer.concat([sized(known.vendor), count, ...list.map(sized), known.rest]);
}
