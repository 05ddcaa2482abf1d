import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type RefObject,
  type MouseEvent,
} from 'react';
import { notices } from '#platform/web/app/notices.ts';
import { DAY_ENTRIES } from '../../contract/events.ts';
import { parseDay, toIso, type Day } from '../../events/domain/day.ts';
import type { DaysProps, Selection } from '../selection.ts';
import { entriesOn, listed, unlistedByDay, wanted } from './dayEntries.ts';
import { useDayKeys } from './useDayKeys.ts';
import { type Pages, useDays, shows } from './useDays.ts';
import { useDayActs } from './useEntryActions.ts';

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
export function useDayPlace(
  root: RefObject<HTMLElement | null>,
  { selection, today, pages }: FollowOptions,
): DayPlace & {
  /** Shows the day on its own page. `focus`: the focus goes there as well. */
  readonly go: (day: Day, focus?: boolean) => void;
  /** The keys are at this day now; the page stays, and so do they where it does not show the day. */
  readonly rest: (day: Day, focus?: boolean) => void;
} {
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
}

const dayAt = ({ target }: MouseEvent): { readonly day: Day; readonly isEmpty: boolean } | undefined => {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-cell]') : null;
  return cell ? { day: Number(cell.dataset['cell']), isEmpty: cell.dataset['empty'] !== undefined } : undefined;
};

/** Presses on the free place of a day: an empty one makes an event; one with events takes the keys, and makes one at a double press. */
export function useDayPresses(rest: (day: Day) => void, onNew: (day: Day) => void) {
  return {
    onFocus: ({ target }: { readonly target: Element }): void => {
      const { dataset } = target.closest<HTMLElement>('[data-cell], [data-day]') ?? {};
      if (dataset) rest(Number(dataset['cell'] ?? dataset['day']));
    },
    onClick: (event: MouseEvent): void => {
      const at = dayAt(event);
      if (!at) return;
      rest(at.day);
      if (at.isEmpty) onNew(at.day);
    },
    onDoubleClick: (event: MouseEvent): void => {
      const at = dayAt(event);
      if (at && !at.isEmpty && event.target instanceof Element && !event.target.closest('[data-entry], button'))
        onNew(at.day);
    },
  };
}

/** The day whose list is open, and its cell. */
interface OpenDay {
  readonly day: Day;
  readonly anchor: HTMLElement;
}

/** What month, week and phone have in common: where they are, what stands there, and what can be done with it. */
export function useDayView(props: DaysProps, pages: Pages) {
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
}
