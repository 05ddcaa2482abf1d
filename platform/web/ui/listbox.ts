const TYPEAHEAD_TIMEOUT_MS = 700;

/** The first option that can be chosen, else the first. */
export function findFirstEnabled(options: readonly { readonly disabled?: string }[]): number {
  return Math.max(
    0,
    options.findIndex((option) => option.disabled === undefined),
  );
}

/** Where a key leads in a list of `length`, disabled options included: their reason is to be read. Ends stay ends; in one that has nothing yet, the first. */
export function getNextIndex(key: string, at: number, length: number): number | undefined {
  if (key === 'ArrowDown') return Math.max(0, Math.min(length - 1, at + 1));
  if (key === 'ArrowUp') return Math.max(0, at - 1);
  if (key === 'Home') return 0;
  if (key === 'End') return Math.max(0, length - 1);
  return undefined;
}

/** Letters typed quickly one after another make a word to look for. */
export function findTyped(
  before: { readonly text: string; readonly at: number },
  key: string,
  at: number,
): { text: string; at: number } {
  return {
    text: (at - before.at < TYPEAHEAD_TIMEOUT_MS ? before.text : '') + key.toLowerCase(),
    at,
  };
}
