import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import { parseDay, type Day } from '../../events/domain/day.ts';
import type { Selection } from '../selection.ts';
import { shows, type Pages } from './pages.ts';

/** Where a grid of days is: the day that the keys are at, and the page (a month, or a week's Monday) that is shown. */
interface DayPlace {
  readonly day: Day;
  readonly page: number;
}

interface FollowOptions {
  readonly selection: Selection;
  readonly today: Day;
  readonly pages: Pages;
}

const selectedDay = (selection: Selection): Day | undefined =>
  selection.kind === 'event'
    ? parseDay(selection.date)
    : selection.kind === 'new'
      ? parseDay(selection.proposal.date)
      : undefined;

const focusDay = (root: HTMLElement | null, day: Day): void =>
  root?.querySelector<HTMLElement>(`[data-day="${day}"]`)?.focus();

/** The day that the keys are at. It begins at what is selected, or today, and follows what is selected elsewhere. */
export const useDayPlace = (
  root: RefObject<HTMLElement | null>,
  { selection, today, pages }: FollowOptions,
): DayPlace & {
  /** Shows the day on its own page. `focus`: the focus goes there as well. */
  readonly go: (day: Day, focus?: boolean) => void;
  /** The keys are at this day now; the page stays, and so do they where it does not show the day. */
  readonly rest: (day: Day, focus?: boolean) => void;
} => {
  const chosen = selectedDay(selection);
  const [place, setPlace] = useState(() => ({ day: chosen ?? today, page: pages.pageOf(chosen ?? today), chosen }));
  if (chosen !== place.chosen) {
    const day = chosen ?? place.day;
    setPlace({ day, page: shows(pages, place.page, day) ? place.page : pages.pageOf(day), chosen });
  }
  const wantsFocus = useRef(false);
  const go = useCallback(
    (day: Day, focus = false): void => {
      wantsFocus.current = focus;
      setPlace((before) => ({ ...before, day, page: pages.pageOf(day) }));
    },
    [pages],
  );
  const rest = useCallback(
    (day: Day, focus = false): void => {
      wantsFocus.current = focus;
      setPlace((before) => (shows(pages, before.page, day) ? { ...before, day } : { ...before }));
    },
    [pages],
  );
  useEffect(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    focusDay(root.current, place.day);
  }, [root, place]);
  return { day: place.day, page: place.page, go, rest };
};
