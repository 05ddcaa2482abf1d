import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';

/** The last message read in this browser, by target; `visitors` is the key for visitors' messages. */
type Marks = Readonly<Record<string, number>>;

const KEY = 'messages.read';

const read = (stored: string | undefined): Marks => {
  try {
    const marks: unknown = JSON.parse(stored ?? '{}');
    return typeof marks === 'object' && marks !== null ? (marks as Marks) : {};
  } catch {
    return {}; // not valid JSON: start over
  }
};

/** Key that is set once the earlier messages are marked. */
const INITIALIZED_KEY = 'begun';

export const marks = {
  getAll: (): Marks => read(browserStorage.get(KEY)),
  get: (target: string): number => marks.getAll()[target] ?? 0,
  /** Marks everything up to this message as read. */
  set: (target: string, id: number): void => {
    if (id > marks.get(target)) browserStorage.set(KEY, JSON.stringify({ ...marks.getAll(), [target]: id }));
  },
  /** Marks all earlier messages as read in a browser that is new here. */
  begin: (all: Marks): void => {
    if (marks.get(INITIALIZED_KEY) === 0)
      browserStorage.set(KEY, JSON.stringify({ ...all, ...marks.getAll(), [INITIALIZED_KEY]: 1 }));
  },
};

export function useMarks(): Marks {
  return read(useBrowserStorage(KEY)[0]);
}
