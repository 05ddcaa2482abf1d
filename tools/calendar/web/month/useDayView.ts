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
import { toIso, type Day } from '#platform/contract/day.ts';
import { notices } from '#platform/web/app/notices.ts';
import { MAX_ENTRIES_PER_DAY } from '../../contract/events.ts';
import { parseDay } from '../../events/domain/day.ts';
import type { DaysProps, Selection } from '../selection.ts';
import { listEntriesOn, sortDayList, countHiddenByDay, weighEntries } from './dayEntries.ts';
import { useDayKeys } from './useDayKeys.ts';
import { type Pages, useDays, isShown } from './useDays.ts';
import { useDayActs } from './useEntryActions.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The current size of an element in CSS pixels. Undefined before the first render. */
export function useSize(element: RefObject<HTMLElement | null>): Size | undefined {
  const [size, setSize] = useState<Size>();
  useLayoutEffect(() => {
    const place = element.current;
    if (!place) return undefined;
    const measure = (): void => {
      const width = place.clientWidth;
      const height = place.clientHeight;
      setSize((before) => (before?.width === width && before.height === height ? before : { width, height }));
    };
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(place);
    return () => sizes.disconnect();
  }, [element]);
  return size;
}

/** The position in a grid of days: the focused day, and the shown page (a month, or the Monday of a week). */
interface DayViewLocation {
  readonly day: Day;
  readonly page: number;
}

interface FollowOptions {
  readonly selection: Selection;
  readonly today: Day;
  readonly pages: Pages;
}

const getSelectedDay = (selection: Selection): Day | undefined =>
  selection.kind === 'event'
    ? parseDay(selection.date)
    : selection.kind === 'new'
      ? parseDay(selection.proposal.date)
      : undefined;

const focusDay = (root: HTMLElement | null, day: Day): void =>
  root?.querySelector<HTMLElement>(`[data-day="${day}"]`)?.focus();

/** Manages the focused day. It starts at the selection or today, and follows selections made elsewhere. */
export function useDayPlace(
  root: RefObject<HTMLElement | null>,
  { selection, today, pages }: FollowOptions,
): DayViewLocation & {
  /** Shows a day on its own page. `focus` also focuses it. */
  readonly go: (day: Day, focus?: boolean) => void;
  /** Moves to a day without turning the page. Keeps the current day if the page doesn't show it. */
  readonly rest: (day: Day, focus?: boolean) => void;
} {
  const chosen = getSelectedDay(selection);
  const [place, setPlace] = useState(() => ({ day: chosen ?? today, page: pages.getPage(chosen ?? today), chosen }));
  if (chosen !== place.chosen) {
    const day = chosen ?? place.day;
    setPlace({ day, page: isShown(pages, place.page, day) ? place.page : pages.getPage(day), chosen });
  }
  const wantsFocus = useRef(false);
  const go = useCallback(
    (day: Day, focus = false): void => {
      wantsFocus.current = focus;
      setPlace((before) => ({ ...before, day, page: pages.getPage(day) }));
    },
    [pages],
  );
  const rest = useCallback(
    (day: Day, focus = false): void => {
      wantsFocus.current = focus;
      setPlace((before) => (isShown(pages, before.page, day) ? { ...before, day } : { ...before }));
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

const findDay = ({ target }: MouseEvent): { readonly day: Day; readonly isEmpty: boolean } | undefined => {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-cell]') : null;
  return cell ? { day: Number(cell.dataset['cell']), isEmpty: cell.dataset['empty'] !== undefined } : undefined;
};

/**
 * Presses on the free space of a day: an empty day creates an event; others get the focus, and create one on a double
 * press.
 */
export function useDayPresses(rest: (day: Day) => void, onNew: (day: Day) => void) {
  return {
    onFocus: ({ target }: { readonly target: Element }): void => {
      const { dataset } = target.closest<HTMLElement>('[data-cell], [data-day]') ?? {};
      if (dataset) rest(Number(dataset['cell'] ?? dataset['day']));
    },
    onClick: (event: MouseEvent): void => {
      const at = findDay(event);
      if (!at) return;
      rest(at.day);
      if (at.isEmpty) onNew(at.day);
    },
    onDoubleClick: (event: MouseEvent): void => {
      const at = findDay(event);
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

/** The state that month, week and phone share: position, entries and actions. */
export function useDayView(props: DaysProps, pages: Pages) {
  const { selection, onNew } = props;
  const today = parseDay(props.today) ?? 0;
  const root = useRef<HTMLDivElement>(null);
  const { day, page, go, rest } = useDayPlace(root, { selection, today, pages });
  const span = pages.getSpan(page);
  const query = useDays(span, [
    pages.getSpan(pages.getPage(pages.turnPage(page, day, 1))),
    pages.getSpan(pages.getPage(pages.turnPage(page, day, -1))),
  ]);
  const unlisted = useMemo(() => countHiddenByDay(query.data?.dates ?? {}), [query.data]);
  const isCut = unlisted.size > 0;
  useEffect(() => {
    if (!isCut) return undefined;
    const text = `Each day shows at most ${MAX_ENTRIES_PER_DAY} events. Use Search to find the others`;
    const notice = notices.addOnce('info', text);
    // The notice is about the days in view.
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
    go(pages.turnPage(page, day, by));
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
    (at: Day): void =>
      listEntriesOn(latest.current.entries, at).length === 0 ? latest.current.newOn(at) : openDay(at),
    [openDay],
  );
  const onKeyDown = useDayKeys({ day, today, page: pages.unit, acts, entryAt, go, turn, onNew: newOn });
  return {
    /** Props of the element around everything. */
    around: { ref: root, onKeyDown },
    today,
    /** The focused day. */
    day,
    page,
    span,
    query,
    /** Memoized, so that moving the focus doesn't render all entries. */
    entries: useMemo(() => weighEntries(entries, selection), [entries, selection]),
    /** Number of events of a day that are not listed. */
    unlisted,
    acts,
    dialogs,
    rest,
    turn,
    newOn,
    head: { label: pages.getLabel(page), unit: pages.unit, onTurn: turn, onToday: () => go(today) },
    presses: useDayPresses(rest, newOn),
    openDay,
    /** A day itself was pressed: opens its list, or creates an event if it is empty. */
    enter,
    /** For a `DayList`, if one is open. */
    list: open && {
      ...open,
      entries: sortDayList(listEntriesOn(entries, open.day)),
      selection,
      onNew: () => newOn(open.day),
      onClose: (returnsFocus: boolean): void => {
        close();
        if (returnsFocus) rest(open.day, true);
      },
    },
  };
}
