import { remember, useRemembered } from '#platform/web/remember.ts';

/** The last message read in this browser, by target; `visitors` stands for theirs. */
type Marks = Readonly<Record<string, number>>;

const KEY = 'messages.read';

const read = (kept: string | undefined): Marks | undefined => {
  if (kept === undefined) return undefined;
  try {
    const marks: unknown = JSON.parse(kept);
    return typeof marks === 'object' && marks !== null ? (marks as Marks) : undefined;
  } catch {
    return undefined; // Written by nobody of ours: begun anew.
  }
};

export const marks = {
  /** Undefined in a browser that has never read anything here. */
  all: (): Marks | undefined => read(remember.get(KEY)),
  of: (target: string): number => marks.all()?.[target] ?? 0,
  /** Marks everything up to this message as read. */
  set: (target: string, id: number): void => {
    if (marks.all() === undefined || id > marks.of(target))
      remember.set(KEY, JSON.stringify({ ...marks.all(), [target]: id }));
  },
  /** A browser that is new here has read what was there before it came. */
  begin: (all: Marks): void => {
    if (marks.all() === undefined) remember.set(KEY, JSON.stringify(all));
  },
};

export const useMarks = (): Marks => read(useRemembered(KEY)[0]) ?? {};
