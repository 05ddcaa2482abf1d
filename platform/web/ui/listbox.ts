const TYPEAHEAD_TIMEOUT_MS = 700;

/** Returns the first enabled option, or the first one if all are disabled. */
export function findFirstEnabled(options: readonly { readonly disabled?: string }[]): number {
  return Math.max(
    0,
    options.findIndex((option) => option.disabled === undefined),
  );
}

/** Returns the option that a key moves to. Disabled options are included, so that their reason can be read. */
export function getNextIndex(key: string, index: number, length: number): number | undefined {
  if (key === 'ArrowDown') return Math.max(0, Math.min(length - 1, index + 1));
  if (key === 'ArrowUp') return Math.max(0, index - 1);
  if (key === 'Home') return 0;
  if (key === 'End') return Math.max(0, length - 1);
  return undefined;
}

/** Appends a letter to the text typed so far, or starts a new text after a pause. */
export function appendTyped(
  previous: { readonly text: string; readonly at: number },
  key: string,
  at: number,
): { text: string; at: number } {
  return {
    text: (at - previous.at < TYPEAHEAD_TIMEOUT_MS ? previous.text : '') + key.toLowerCase(),
    at,
  };
}
