import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';

/** The last message read in this browser, by target; `visitors` stands for theirs. */
type Marks = Readonly<Record<string, number>>;

const KEY = 'messages.read';

const read = (kept: string | undefined): Marks => {
  try {
    const marks: unknown = JSON.parse(kept ?? '{}');
    return typeof marks === 'object' && marks !== null ? (marks as Marks) : {};
  } catch {
    return {}; // Written by nobody of ours: begun anew.
  }
};

/** Stands among the marks once what was there before is marked. */
const BEGUN = 'begun';

export const marks = {
  all: (): Marks => read(browserStorage.get(KEY)),
  of: (target: string): number => marks.all()[target] ?? 0,
  /** Marks everything up to this message as read. */
  set: (target: string, id: number): void => {
    if (id > marks.of(target)) browserStorage.set(KEY, JSON.stringify({ ...marks.all(), [target]: id }));
  },
  /** A browser that is new here has read what was there before it came. */
  begin: (all: Marks): void => {
    if (marks.of(BEGUN) === 0) browserStorage.set(KEY, JSON.stringify({ ...all, ...marks.all(), [BEGUN]: 1 }));
  },
};

export function useMarks(): Marks {
  return read(useBrowserStorage(KEY)[0]);
}
