import { draggable } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { useEffect, useLayoutEffect, useRef, type CSSProperties, type RefObject } from 'react';
import type { Day } from '#platform/contract/day.ts';
import { formatDayRelativeTo, formatInterval } from '../../events/domain/dateNames.ts';
import { formatRemainingDays } from '../../events/domain/monthGrid.ts';
import { getEntryKey, formatEntryTime, type DayEntry } from './dayEntries.ts';
import { useEntryActions } from './entryActions.ts';

const LONG_PRESS_MS = 500;
const MAX_MOVEMENT_PX = 10;

/** Returns the colours of an entry as CSS variables. */
export function getEntryStyle({ entry }: DayEntry, more: Record<string, string | number> = {}): CSSProperties {
  return {
    '--fill': entry.colours.background,
    '--left': entry.colours.left,
    '--right': entry.colours.right,
    ...more,
  } as CSSProperties;
}

/** Formats the accessible name and tooltip: `Library loan, until Wednesday 25 November`. */
export function formatSpokenName({ entry, from, until }: DayEntry, today: Day): string {
  return [
    [formatEntryTime(entry), entry.name].filter((part) => part !== undefined).join(' '),
    until > from ? `until ${formatDayRelativeTo(until, today)}` : undefined,
    entry.pinned ? 'pinned' : undefined,
  ]
    .filter((part) => part !== undefined && part !== '')
    .join(', ');
}

/** Returns the note at the right of a line: `09:40`, `every 7 weeks`, `10 days left`. */
export function getNote({ entry, from, until }: DayEntry, day: Day): string {
  return [
    formatEntryTime(entry),
    entry.every !== undefined && entry.unit !== undefined ? formatInterval(entry.every, entry.unit) : undefined,
    until > from ? formatRemainingDays(day, until) : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(' · ');
}

/** Returns handlers of a long press, for browsers that fire no `contextmenu` for it. */
function useLongPress(onLongPress: (position: { readonly x: number; readonly y: number }) => void) {
  const press = useRef<{ readonly timer: ReturnType<typeof setTimeout>; readonly x: number; readonly y: number }>(null);
  function end(): void {
    if (press.current) clearTimeout(press.current.timer);
    press.current = null;
  }
  useEffect(() => () => clearTimeout(press.current?.timer), []);
  return {
    onPointerDown: ({ pointerType, clientX: x, clientY: y }: React.PointerEvent): void => {
      end();
      if (pointerType === 'touch')
        press.current = { timer: setTimeout(() => onLongPress({ x, y }), LONG_PRESS_MS), x, y };
    },
    onPointerMove: ({ clientX, clientY }: React.PointerEvent): void => {
      const from = press.current;
      if (from && Math.hypot(clientX - from.x, clientY - from.y) > MAX_MOVEMENT_PX) end();
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
}

/** Returns handlers that open the menu of an entry by right click, menu key or long press. */
export function useEntryMenu(item: DayEntry, day: Day) {
  const actions = useEntryActions();
  const hasOpened = useRef(false);
  function open(position: { readonly x: number; readonly y: number }): void {
    if (item.entry.fixed) return;
    hasOpened.current = true;
    actions.openMenu(item, day, position);
  }
  const longPress = useLongPress(open);
  return {
    'data-entry': getEntryKey(item),
    'data-on': day,
    ...longPress,
    onPointerDown: (event: React.PointerEvent): void => {
      hasOpened.current = false;
      longPress.onPointerDown(event);
    },
    onContextMenu: (event: React.MouseEvent): void => {
      if (item.entry.fixed) return;
      event.preventDefault();
      const box = event.currentTarget.getBoundingClientRect();
      // The menu key has no coordinates.
      const isByKey = event.clientX === 0 && event.clientY === 0;
      if (!hasOpened.current)
        open(isByKey ? { x: box.left + 12, y: box.bottom } : { x: event.clientX, y: event.clientY });
    },
    onClick: (event: React.MouseEvent): void => {
      event.stopPropagation();
      // The finger that opened the menu was lifted.
      if (hasOpened.current) event.preventDefault();
      else actions.open(item, day);
    },
  };
}

/** Makes an entry draggable to another day, unless it is of a subscribed calendar. */
export function useDraggableEntry(element: RefObject<HTMLElement | null>, item: DayEntry, day: Day): void {
  const actions = useEntryActions();
  const latest = useRef({ item, day });
  useLayoutEffect(() => {
    latest.current = { item, day };
  });
  useEffect(() => {
    const dragged = element.current;
    if (!dragged) return undefined;
    return draggable({
      element: dragged,
      canDrag: () => latest.current.item.entry.fixed !== true,
      onDragStart: () => {
        dragged.dataset['carried'] = '';
        actions.drag(latest.current.item, latest.current.day);
      },
      onDrop: () => delete dragged.dataset['carried'],
    });
  }, [element, actions]);
}
