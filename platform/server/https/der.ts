// The part of DER (ITU-T X.690) that a certificate is written in.

const lengthOf = (bytes: number): Buffer => {
  if (bytes < 0x80) return Buffer.from([bytes]);
  const digits = Buffer.from(bytes.toString(16).padStart(bytes > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 | digits.length]), digits]);
};

const MOST_BYTES = 0xffff;

const element = (tag: number, parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  if (content.length > MOST_BYTES) throw new RangeError('too long for a certificate');
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
};

const base128 = (value: number): readonly number[] => {
  const digits = [value & 0x7f];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128))
    digits.unshift((rest & 0x7f) | 0x80);
  return digits;
};

/** UTCTime up to 2049 and GeneralizedTime from 2050 on, as RFC 5280 section 4.1.2.5 has it. */
const time = (at: Temporal.Instant): Buffer => {
  const digits = at.toString({ smallestUnit: 'second' }).replaceAll(/[-:T]/g, '');
  const isShort = digits < '2050';
  return element(isShort ? 0x17 : 0x18, [Buffer.from(isShort ? digits.slice(2) : digits)]);
};

/** Each gives one element with its tag and length. */
export const der = {
  sequence: (...parts: readonly Uint8Array[]): Buffer => element(0x30, parts),
  set: (...parts: readonly Uint8Array[]): Buffer => element(0x31, parts),
  boolean: (value: boolean): Buffer => element(0x01, [Buffer.from([value ? 0xff : 0])]),
  /** A number that is not negative, from its bytes, the highest first. */
  integer: (bytes: Uint8Array): Buffer => {
    const first = bytes.findIndex((byte) => byte !== 0);
    const digits = first === -1 ? Buffer.from([0]) : Buffer.from(bytes.subarray(first));
    return element(0x02, (digits[0] ?? 0) > 0x7f ? [Buffer.from([0]), digits] : [digits]);
  },
  /** An object identifier as it is written: '1.2.840'. */
  oid: (written: string): Buffer => {
    const [first = 0, second = 0, ...rest] = written.split('.').map(Number);
    return element(0x06, [Buffer.from([first * 40 + second, ...rest.flatMap(base128)])]);
  },
  utf8: (text: string): Buffer => element(0x0c, [Buffer.from(text)]),
  bits: (bytes: Uint8Array, unused = 0): Buffer => element(0x03, [Buffer.from([unused]), bytes]),
  octets: (bytes: Uint8Array): Buffer => element(0x04, [bytes]),
  time,
  /** Context tag `number` round whole elements. */
  tagged: (number: number, ...parts: readonly Uint8Array[]): Buffer => element(0xa0 | number, parts),
  /** Context tag `number` in the place of a primitive element's own. */
  plainTagged: (number: number, content: Uint8Array): Buffer => element(0x80 | number, [content]),
};
