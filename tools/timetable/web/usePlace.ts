import { useCallback } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { createNavigationState } from '#platform/web/app/navigation.ts';
import { FIRST_DAY, LAST_DAY, mondayOf, parseIso, toIso, type Day } from '../domain/week.ts';

const FIRST_MONDAY = mondayOf(FIRST_DAY + 6);
const LAST_MONDAY = mondayOf(LAST_DAY - 6);

const within = (day: Day): Day => Math.max(FIRST_MONDAY, Math.min(day, LAST_MONDAY + 6));

const dayIn = (search: string, today: Day): Day => {
  const named = new URLSearchParams(search).get('day');
  return within(named === null ? today : (parseIso(named) ?? today));
};

/** The day that the page is at stands in the address, so that a link and a reload lead to it: its week is shown, on a phone itself. */
export const usePlace = (today: Day) => {
  const { search } = useLocation();
  const navigate = useNavigate();
  const day = dayIn(search, today);
  const go = useCallback(
    (next: Day): void => {
      const kept = within(next);
      const query = kept === today ? '' : `?day=${toIso(kept)}`;
      void navigate({ search: query }, { replace: true, state: createNavigationState() });
    },
    [navigate, today],
  );
  return {
    day,
    monday: mondayOf(day),
    go,
    // From the address itself: it is ahead of what is drawn where clicks come faster than drawings.
    turn: (weeks: 1 | -1): void => go(dayIn(location.search, today) + 7 * weeks),
    hasBefore: mondayOf(day) > FIRST_MONDAY,
    hasAfter: mondayOf(day) < LAST_MONDAY,
  };
};
