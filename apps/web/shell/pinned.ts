/** Where this browser remembers the pinned tools, as paths with spaces between. */
export const PINNED = 'pinned';

const usual = [
  '/dashboard',
  '/mixer',
  '/calendar',
  '/shopplanner',
  '/graphyv2',
  '/timetable',
  '/musicmusic',
  '/stopwatch',
];

export const pinnedPaths = (remembered: string | undefined): readonly string[] =>
  remembered === undefined ? usual : remembered.split(' ').filter(Boolean);
