import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';

/** Id of the last message read in this browser, by target. Visitors' messages have the target `visitors`. */
type ReadMarks = Readonly<Record<string, number>>;

const STORAGE_KEY = 'messages.read';

function parseReadMarks(stored: string | undefined): ReadMarks {
  try {
    const parsed: unknown = JSON.parse(stored ?? '{}');
    return typeof parsed === 'object' && parsed !== null ? (parsed as ReadMarks) : {};
  } catch {
    return {}; // not valid JSON: start over
  }
}

/** Stored beside the targets, once the earlier messages are marked. */
const INITIALIZED_KEY = 'begun';

export const readMarks = {
  getAll: (): ReadMarks => parseReadMarks(browserStorage.get(STORAGE_KEY)),
  get: (target: string): number => readMarks.getAll()[target] ?? 0,
  /** Marks everything up to this message as read. */
  set: (target: string, id: number): void => {
    if (id > readMarks.get(target))
      browserStorage.set(STORAGE_KEY, JSON.stringify({ ...readMarks.getAll(), [target]: id }));
  },
  /** Marks all earlier messages as read, in a browser that opens the page for the first time. */
  initialize: (initialMarks: ReadMarks): void => {
    if (readMarks.get(INITIALIZED_KEY) === 0)
      browserStorage.set(STORAGE_KEY, JSON.stringify({ ...initialMarks, ...readMarks.getAll(), [INITIALIZED_KEY]: 1 }));
  },
};

export function useReadMarks(): ReadMarks {
  return parseReadMarks(useBrowserStorage(STORAGE_KEY)[0]);
}
