import type { ByteRange } from '#platform/contract/ranged.ts';

/** What a request says of the bytes that it wants: its headers, as they came. */
export interface RangeHeaders {
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

const wholeOf = (text: string): number | undefined =>
  text === '' ? undefined : Math.min(Number(text), Number.MAX_SAFE_INTEGER);

/** The two numbers of a header with one range; one of them may be missing. Undefined where it is not understood. */
const numbersOf = (header: string | undefined): { readonly first?: number; readonly last?: number } | undefined => {
  const [, before = '', behind = ''] = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '') ?? [];
  const [first, last] = [wholeOf(before), wholeOf(behind)];
  if (first === undefined) return last === undefined ? undefined : { last };
  if (last === undefined) return { first };
  return last < first ? undefined : { first, last };
};

/**
 * The bytes that a `Range` header asks for, of so many (RFC 9110, section 14). Undefined for all of them: without a header, with one that is
 * not understood, and with one that asks for several ranges. 'none' where there are no such bytes.
 */
export const parseRange = (header: string | undefined, size: number): ByteRange | 'none' | undefined => {
  const asked = numbersOf(header);
  if (!asked) return undefined;
  const { first, last = size } = asked;
  // With a last number alone, so many from the end.
  const from = first ?? Math.max(0, size - last);
  if (from >= size) return 'none';
  return { from, to: first === undefined ? size - 1 : Math.min(last, size - 1) };
};

/** The same, of a file with this tag: whoever has the beginning of another one gets all of it. */
export const resolveRange = (
  { range, ifRange }: RangeHeaders,
  { size, etag }: { readonly size: number; readonly etag: string },
): ByteRange | 'none' | undefined => (ifRange === undefined || ifRange === etag ? parseRange(range, size) : undefined);
