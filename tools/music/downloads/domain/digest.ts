// Incremental SHA-256. The browsers' own works on whole buffers only, and only over HTTPS.

const BLOCK_BYTES = 64;

const primes = (count: number): readonly number[] => {
  const primeNumbers: number[] = [];
  for (let candidate = 2; primeNumbers.length < count; candidate += 1)
    if (primeNumbers.every((prime) => candidate % prime !== 0)) primeNumbers.push(candidate);
  return primeNumbers;
};

/** Returns the first 32 bits of the fractional part. */
const fraction = (value: number): number => Math.floor((value - Math.floor(value)) * 2 ** 32) | 0;

const ROUND_CONSTANTS = Int32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));
const INITIAL_STATE = Int32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));

const rotateRight = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** An incremental digest. */
export interface StreamingDigest {
  /** Adds bytes. */
  readonly add: (bytes: Uint8Array) => void;
  /** Returns the digest of all bytes in hex. No bytes can be added afterwards. */
  readonly end: () => string;
}

/** Processes one block. @see {@link https://csrc.nist.gov/pubs/fips/180-4/upd1/final} for the names of the variables */
const processBlock = (state: Int32Array, words: Int32Array, view: DataView, offset: number): void => {
  for (let at = 0; at < 16; at += 1) words[at] = view.getInt32(offset + at * 4);
  for (let at = 16; at < 64; at += 1) {
    const [w15, w2] = [words[at - 15] as number, words[at - 2] as number];
    const s0 = rotateRight(w15, 7) ^ rotateRight(w15, 18) ^ (w15 >>> 3);
    const s1 = rotateRight(w2, 17) ^ rotateRight(w2, 19) ^ (w2 >>> 10);
    words[at] = ((words[at - 16] as number) + s0 + (words[at - 7] as number) + s1) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let at = 0; at < 64; at += 1) {
    const choice = (e & f) ^ (~e & g);
    const first =
      (h +
        (rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25)) +
        choice +
        (ROUND_CONSTANTS[at] as number) +
        (words[at] as number)) |
      0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22)) + majority) | 0;
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

/** Creates an empty SHA-256 digest. */
export function createDigest(): StreamingDigest {
  const state = Int32Array.from(INITIAL_STATE);
  const words = new Int32Array(64);
  /** Bytes that don't fill a block yet. */
  const rest = new Uint8Array(BLOCK_BYTES);
  const restView = new DataView(rest.buffer);
  let restLength = 0;
  let length = 0;

  const add = (bytes: Uint8Array): void => {
    length += bytes.length;
    let at = 0;
    if (restLength > 0) {
      at = Math.min(BLOCK_BYTES - restLength, bytes.length);
      rest.set(bytes.subarray(0, at), restLength);
      restLength += at;
      if (restLength < BLOCK_BYTES) return;
      processBlock(state, words, restView, 0);
      restLength = 0;
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (; at + BLOCK_BYTES <= bytes.length; at += BLOCK_BYTES) processBlock(state, words, view, at);
    rest.set(bytes.subarray(at));
    restLength = bytes.length - at;
  };

  const end = (): string => {
    const bits = new DataView(new ArrayBuffer(8));
    bits.setBigUint64(0, BigInt(length) * 8n);
    const padding = new Uint8Array((restLength < 56 ? 56 : 120) - restLength);
    padding[0] = 0x80;
    add(padding);
    add(new Uint8Array(bits.buffer));
    return [...state].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  };
  return { add, end };
}
