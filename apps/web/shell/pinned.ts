/** Where this browser remembers the pinned tools, as paths with spaces between. */
export const PINNED_KEY = 'pinned';

const DEFAULT_PINNED = [
  '/dashboard',
  '/mixer',
  '/calendar',
  '/shopplanner',
  '/graphyv2',
  '/timetable',
  '/musicmusic',
  '/stopwatch',
];

export const parsePinnedPaths = (remembered: string | undefined): readonly string[] =>
  remembered === undefined ? DEFAULT_PINNED : remembered.split(' ').filter(Boolean);
