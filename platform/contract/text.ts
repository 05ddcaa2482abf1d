/** Decodes percent escapes; undefined where they are malformed, as in `%zz`, or no UTF-8. */
export function decodePercent(text: string): string | undefined {
  try {
    // oxlint-disable-next-line no-restricted-globals -- the one place where its exception is caught
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** A text as both databases keep it: neither keeps U+0000 and halves of a surrogate pair. */
export function replaceUnstorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{fffd}');
}
