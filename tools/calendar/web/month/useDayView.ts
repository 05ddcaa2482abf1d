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
import { useDayActions } from './useDayActions.ts';
import { useDayKeys } from './useDayKeys.ts';
import { type Pages, useDays, isDayShown } from './useDays.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Returns the current size of an element in CSS pixels; undefined before the first render. */
export function useSize(element: RefObject<HTMLElement | null>): Size | undefined {
  const [size, setSize] = useState<Size>();
  useLayoutEffect(() => {
    const container = element.current;
    if (!container) return undefined;
    const measure = (): void => {
      const width = container.clientWidth;
      const height = container.clientHeight;
      setSize((before) => (before?.width === width && before.height === height ? before : { width, height }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(container);
    return () => observer.disconnect();
  }, [element]);
  return size;
}

/** The position in a grid of days: the focused day, and the shown page (a month, or the Monday of a week). */
interface DayViewLocation {
  readonly day: Day;
  readonly page: number;
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
export function useDayPosition(
  root: RefObject<HTMLElement | null>,
  { selection, today, pages }: { readonly selection: Selection; readonly today: Day; readonly pages: Pages },
): DayViewLocation & {
  /** Shows a day on its own page. `focus` also focuses it. */
  readonly go: (day: Day, focus?: boolean) => void;
  /** Moves to a day without turning the page. Keeps the current day if the page doesn't show it. */
  readonly moveWithinPage: (day: Day, focus?: boolean) => void;
} {
  const selectedDay = getSelectedDay(selection);
  const [position, setPosition] = useState(() => ({
    day: selectedDay ?? today,
    page: pages.getPage(selectedDay ?? today),
    selectedDay,
  }));
  if (selectedDay !== position.selectedDay) {
    const day = selectedDay ?? position.day;
    setPosition({ day, page: isDayShown(pages, position.page, day) ? position.page : pages.getPage(day), selectedDay });
  }
  const shouldFocus = useRef(false);
  const go = useCallback(
    (day: Day, focus = false): void => {
      shouldFocus.current = focus;
      setPosition((before) => ({ ...before, day, page: pages.getPage(day) }));
    },
    [pages],
  );
  const moveWithinPage = useCallback(
    (day: Day, focus = false): void => {
      shouldFocus.current = focus;
      setPosition((before) => (isDayShown(pages, before.page, day) ? { ...before, day } : { ...before }));
    },
    [pages],
  );
  useEffect(() => {
    if (!shouldFocus.current) return;
    shouldFocus.current = false;
    focusDay(root.current, position.day);
  }, [root, position]);
  return { day: position.day, page: position.page, go, moveWithinPage };
}

function findDay({ target }: MouseEvent): { readonly day: Day; readonly isEmpty: boolean } | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-cell]') : null;
  return cell ? { day: Number(cell.dataset['cell']), isEmpty: cell.dataset['empty'] !== undefined } : undefined;
}

/**
 * Handles presses on the free space of a day: an empty day creates an event; others get the focus, and create one on
 * a double press.
 */
export function useDayPresses(moveWithinPage: (day: Day) => void, onNew: (day: Day) => void) {
  return {
    onFocus: ({ target }: { readonly target: Element }): void => {
      const { dataset } = target.closest<HTMLElement>('[data-cell], [data-day]') ?? {};
      if (dataset) moveWithinPage(Number(dataset['cell'] ?? dataset['day']));
    },
    onClick: (event: MouseEvent): void => {
      const pressed = findDay(event);
      if (!pressed) return;
      moveWithinPage(pressed.day);
      if (pressed.isEmpty) onNew(pressed.day);
    },
    onDoubleClick: (event: MouseEvent): void => {
      const pressed = findDay(event);
      const isOnEntry = event.target instanceof Element && event.target.closest('[data-entry], button') !== null;
      if (pressed && !pressed.isEmpty && !isOnEntry) onNew(pressed.day);
    },
  };
}

/** The day whose list is open, and its cell. */
interface OpenDay {
  readonly day: Day;
  readonly anchor: HTMLElement;
}

/** Manages the state that month, week and phone share: position, entries and actions. */
export function useDayView(props: DaysProps, pages: Pages) {
  const { selection, onNew } = props;
  const today = parseDay(props.today) ?? 0;
  const root = useRef<HTMLDivElement>(null);
  const { day, page, go, moveWithinPage } = useDayPosition(root, { selection, today, pages });
  const span = pages.getSpan(page);
  const query = useDays(span, [
    pages.getSpan(pages.getPage(pages.turnPage(page, day, 1))),
    pages.getSpan(pages.getPage(pages.turnPage(page, day, -1))),
  ]);
  const hiddenCountByDay = useMemo(() => countHiddenByDay(query.data?.dates ?? {}), [query.data]);
  const hasHiddenEntries = hiddenCountByDay.size > 0;
  useEffect(() => {
    if (!hasHiddenEntries) return undefined;
    const text = `Each day shows at most ${MAX_ENTRIES_PER_DAY} events. Use Search to find the others`;
    const notice = notices.addOnce('info', text);
    // The notice is about the days in view.
    return () => notices.dismiss(notice);
  }, [hasHiddenEntries]);
  const [openList, setOpenList] = useState<OpenDay>();
  const close = useCallback((): void => setOpenList(undefined), []);
  const { entries, actions, findEntry, dialogs } = useDayActions({
    ...props,
    root,
    days: query.data,
    onChanged: (to, focus) => {
      close();
      moveWithinPage(to, focus);
    },
  });
  const createOn = (newDay: Day): void => onNew(toIso(newDay));
  function turnPage(by: 1 | -1): void {
    close();
    go(pages.turnPage(page, day, by));
  }
  const openDayList = useCallback((listDay: Day): void => {
    const anchor = root.current?.querySelector<HTMLElement>(`[data-cell="${listDay}"]`);
    if (anchor) setOpenList({ day: listDay, anchor });
  }, []);
  const latest = useRef({ entries, createOn });
  useLayoutEffect(() => {
    latest.current = { entries, createOn };
  });
  const pressDay = useCallback(
    (pressedDay: Day): void =>
      listEntriesOn(latest.current.entries, pressedDay).length === 0
        ? latest.current.createOn(pressedDay)
        : openDayList(pressedDay),
    [openDayList],
  );
  const onKeyDown = useDayKeys({ day, today, page: pages.unit, actions, findEntry, go, turnPage, onNew: createOn });
  return {
    /** Props of the element around everything. */
    containerProps: { ref: root, onKeyDown },
    today,
    /** The focused day. */
    day,
    page,
    span,
    query,
    /** Memoized, so that moving the focus doesn't render all entries. */
    entries: useMemo(() => weighEntries(entries, selection), [entries, selection]),
    /** Number of events of a day that are not listed. */
    hiddenCountByDay,
    actions,
    dialogs,
    moveWithinPage,
    turnPage,
    createOn,
    headerProps: { label: pages.getLabel(page), unit: pages.unit, onTurn: turnPage, onToday: () => go(today) },
    pressProps: useDayPresses(moveWithinPage, createOn),
    openDayList,
    /** Opens the list of a day, or creates an event if it is empty. */
    pressDay,
    /** For a `DayList`, if one is open. */
    listProps: openList && {
      ...openList,
      entries: sortDayList(listEntriesOn(entries, openList.day)),
      selection,
      onNew: () => createOn(openList.day),
      onClose: (returnsFocus: boolean): void => {
        close();
        if (returnsFocus) moveWithinPage(openList.day, true);
      },
    },
  };
}
