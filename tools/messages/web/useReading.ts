import { useEffect, useRef, useState } from 'react';
import { marks } from './readMarks.ts';
import type { Entry } from './thread.ts';

const isSeen = (): boolean => document.visibilityState === 'visible';

const useSeen = (): boolean => {
  const [seen, setSeen] = useState(isSeen);
  useEffect(() => {
    const look = (): void => setSeen(isSeen());
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return seen;
};

/**
 * Marks the open conversation as read while the page is seen, and gives the id of the last message that was read before: the line 'New'
 * stands behind it. What arrives before one's eyes is not new.
 */
export const useReading = (
  target: string | undefined,
  entries: readonly Entry[],
  isLoaded: boolean,
): number | undefined => {
  const seen = useSeen();
  const [opened, setOpened] = useState<{ readonly target: string; readonly mark: number }>();
  const last = entries.at(-1)?.id ?? 0;
  const wasSeen = useRef(seen);
  if (target !== undefined && isLoaded && opened?.target !== target)
    setOpened({ target, mark: last > marks.of(target) ? marks.of(target) : Infinity });
  useEffect(() => {
    if (target === undefined) return;
    if (wasSeen.current && !seen) setOpened({ target, mark: last });
    wasSeen.current = seen;
    if (seen && last > 0) marks.set(target, last);
  }, [target, seen, last]);
  return opened?.target === target ? opened?.mark : undefined;
};
