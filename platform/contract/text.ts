/** Decodes percent escapes. Returns undefined if they are malformed, such as `%zz`, or not UTF-8. */
export function decodePercent(text: string): string | undefined {
  try {
    // oxlint-disable-next-line no-restricted-globals -- the one place where its exception is caught
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Replaces what neither database can store: U+0000 and lone surrogates. */
export function replaceUnstorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{fffd}');
}

/** Formats a number with at least two digits: `07`. */
export function padTwo(value: number): string {
  return String(value).padStart(2, '0');
}
