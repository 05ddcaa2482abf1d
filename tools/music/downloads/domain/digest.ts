// SHA-256 in pieces: browsers have it for what lies in memory as a whole, and over https alone.

const BLOCK = 64;

const primes = (count: number): readonly number[] => {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate += 1)
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  return found;
};

/** The first 32 bits of what is behind the point. */
const fraction = (value: number): number => Math.floor((value - Math.floor(value)) * 2 ** 32) | 0;

const ROUNDS = Int32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));
const START = Int32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));

const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** What has been read so far. */
export interface StreamingDigest {
  /** Reads on. */
  readonly add: (bytes: Uint8Array) => void;
  /** Of all that was read, in hex. Nothing is read afterwards. */
  readonly end: () => string;
}

/** @see {@link https://csrc.nist.gov/pubs/fips/180-4/upd1/final} for the names of the variables */
const mix = (state: Int32Array, words: Int32Array, view: DataView, offset: number): void => {
  for (let at = 0; at < 16; at += 1) words[at] = view.getInt32(offset + at * 4);
  for (let at = 16; at < 64; at += 1) {
    const [w15, w2] = [words[at - 15] as number, words[at - 2] as number];
    const s0 = turn(w15, 7) ^ turn(w15, 18) ^ (w15 >>> 3);
    const s1 = turn(w2, 17) ^ turn(w2, 19) ^ (w2 >>> 10);
    words[at] = ((words[at - 16] as number) + s0 + (words[at - 7] as number) + s1) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let at = 0; at < 64; at += 1) {
    const choice = (e & f) ^ (~e & g);
    const first =
      (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + (ROUNDS[at] as number) + (words[at] as number)) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, at) => {
    state[at] = ((state[at] as number) + word) | 0;
  });
};

export function createDigest(): StreamingDigest {
  const state = Int32Array.from(START);
  const words = new Int32Array(64);
  /** What does not fill a block yet. */
  const rest = new Uint8Array(BLOCK);
  const restView = new DataView(rest.buffer);
  let held = 0;
  let length = 0;

  const add = (bytes: Uint8Array): void => {
    length += bytes.length;
    let at = 0;
    if (held > 0) {
      at = Math.min(BLOCK - held, bytes.length);
      rest.set(bytes.subarray(0, at), held);
      held += at;
      if (held < BLOCK) return;
      mix(state, words, restView, 0);
      held = 0;
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (; at + BLOCK <= bytes.length; at += BLOCK) mix(state, words, view, at);
    rest.set(bytes.subarray(at));
    held = bytes.length - at;
  };

  const end = (): string => {
    const bits = new DataView(new ArrayBuffer(8));
    bits.setBigUint64(0, BigInt(length) * 8n);
    const padding = new Uint8Array((held < 56 ? 56 : 120) - held);
    padding[0] = 0x80;
    add(padding);
    add(new Uint8Array(bits.buffer));
    return [...state].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  };
  return { add, end };
}
