import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { notices } from '#platform/web/app/notices.ts';
import { DAY_ENTRIES } from '../../contract/events.ts';
import { parseDay, toIso, type Day } from '../../events/domain/day.ts';
import type { DaysProps } from '../parts.ts';
import { entriesOn, listed, unlistedByDay, wanted } from './dayEntries.ts';
import type { Pages } from './pages.ts';
import { useDayKeys } from './useDayKeys.ts';
import { useDayPlace } from './useDayPlace.ts';
import { useDayPresses } from './useDayPresses.ts';
import { useDays } from './useDays.ts';
import { useDayActs } from './useEntryActions.ts';

/** The day whose list is open, and its cell. */
interface OpenDay {
  readonly day: Day;
  readonly anchor: HTMLElement;
}

/** What month, week and phone have in common: where they are, what stands there, and what can be done with it. */
export const useDayView = (props: DaysProps, pages: Pages) => {
  const { selection, onNew } = props;
  const today = parseDay(props.today) ?? 0;
  const root = useRef<HTMLDivElement>(null);
  const { day, page, go, rest } = useDayPlace(root, { selection, today, pages });
  const span = pages.spanOf(page);
  const query = useDays(span, [
    pages.spanOf(pages.pageOf(pages.turned(page, day, 1))),
    pages.spanOf(pages.pageOf(pages.turned(page, day, -1))),
  ]);
  const unlisted = useMemo(() => unlistedByDay(query.data?.dates ?? {}), [query.data]);
  const isCut = unlisted.size > 0;
  useEffect(() => {
    if (!isCut) return undefined;
    const text = `Days with more than ${DAY_ENTRIES} events show the first ${DAY_ENTRIES}. Search finds the others`;
    const notice = notices.addOnce('info', text);
    // It is about the days in view.
    return () => notices.dismiss(notice);
  }, [isCut]);
  const [open, setOpen] = useState<OpenDay>();
  const close = useCallback((): void => setOpen(undefined), []);
  const { entries, acts, entryAt, dialogs } = useDayActs({
    ...props,
    root,
    days: query.data,
    onChanged: (to, focus) => {
      close();
      rest(to, focus);
    },
  });
  const newOn = (at: Day): void => onNew(toIso(at));
  const turn = (by: 1 | -1): void => {
    close();
    go(pages.turned(page, day, by));
  };
  const openDay = useCallback((at: Day): void => {
    const anchor = root.current?.querySelector<HTMLElement>(`[data-cell="${at}"]`);
    if (anchor) setOpen({ day: at, anchor });
  }, []);
  const latest = useRef({ entries, newOn });
  useLayoutEffect(() => {
    latest.current = { entries, newOn };
  });
  const enter = useCallback(
    (at: Day): void => (entriesOn(latest.current.entries, at).length === 0 ? latest.current.newOn(at) : openDay(at)),
    [openDay],
  );
  const onKeyDown = useDayKeys({ day, today, page: pages.unit, acts, entryAt, go, turn, onNew: newOn });
  return {
    /** Of the element around everything. */
    around: { ref: root, onKeyDown },
    today,
    /** The day that the keys are at. */
    day,
    page,
    span,
    query,
    /** Drawn again only for what changes them, not for every step of the keys. */
    entries: useMemo(() => wanted(entries, selection), [entries, selection]),
    /** Events of a day that its list has no room for. */
    unlisted,
    acts,
    dialogs,
    rest,
    turn,
    newOn,
    head: { label: pages.labelOf(page), unit: pages.unit, onTurn: turn, onToday: () => go(today) },
    presses: useDayPresses(rest, newOn),
    openDay,
    /** A day itself was pressed: opens its list, or makes an event on an empty one. */
    enter,
    /** For a `DayList`, where one is open. */
    list: open && {
      ...open,
      entries: listed(entriesOn(entries, open.day)),
      selection,
      onNew: () => newOn(open.day),
      onClose: (giveBack: boolean): void => {
        close();
        if (giveBack) rest(open.day, true);
      },
    },
  };
};
