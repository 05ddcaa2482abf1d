const TYPEAHEAD_TIMEOUT_MS = 700;

/** Returns the index of the first enabled option, or of the first one if all are disabled. */
export function findFirstEnabled(options: readonly { readonly disabledReason?: string }[]): number {
  return Math.max(
    0,
    options.findIndex((option) => option.disabledReason === undefined),
  );
}

/** Returns the index that a key moves to; undefined for other keys. Disabled options can be reached, to be read. */
export function getNextIndex(key: string, index: number, length: number): number | undefined {
  if (key === 'ArrowDown') return Math.max(0, Math.min(length - 1, index + 1));
  if (key === 'ArrowUp') return Math.max(0, index - 1);
  if (key === 'Home') return 0;
  if (key === 'End') return Math.max(0, length - 1);
  return undefined;
}

interface TypeaheadText {
  readonly text: string;
  /** Time of the last key, in ms. */
  readonly time: number;
}

/** Returns the text with a letter appended, or a new text after a pause. */
export function appendLetter(previous: TypeaheadText, key: string, time: number): TypeaheadText {
  const text = time - previous.time < TYPEAHEAD_TIMEOUT_MS ? previous.text : '';
  return { text: text + key.toLowerCase(), time };
}
