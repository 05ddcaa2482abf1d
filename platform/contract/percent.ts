/** Decodes percent escapes; undefined where they are malformed, as in `%zz`, or no UTF-8. */
export function decodePercent(text: string): string | undefined {
  try {
    // oxlint-disable-next-line no-restricted-globals -- the one place where its exception is caught
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
