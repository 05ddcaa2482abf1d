import { IconArrowRight, IconPencil, IconTrash } from '@tabler/icons-react';
import { useEffect, useLayoutEffect, useRef, type KeyboardEvent } from 'react';
import type { Day } from '#platform/contract/day.ts';
import { usePressOutside } from '#platform/web/ui/Popover.tsx';
import type { DayEntry } from './dayEntries.ts';
import type { EntryActions } from './entryActions.ts';
import styles from './dialogs.module.css';

export interface OpenMenu {
  readonly item: DayEntry;
  readonly day: Day;
  readonly position: { readonly x: number; readonly y: number };
}

interface EntryMenuProps extends OpenMenu {
  readonly actions: EntryActions;
  readonly onClose: () => void;
}

const MARGIN_PX = 8;

/** The context menu of an entry. Arrows move, Esc returns the focus. */
export function EntryMenu({ item, day, position, actions, onClose }: EntryMenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const opener = useRef<Element | null>(null);
  useLayoutEffect(() => {
    const element = menu.current;
    if (!element) return;
    opener.current = document.activeElement;
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(MARGIN_PX, Math.min(position.x, window.innerWidth - width - MARGIN_PX))}px`;
    element.style.top = `${Math.max(MARGIN_PX, Math.min(position.y, window.innerHeight - height - MARGIN_PX))}px`;
    element.querySelector('button')?.focus({ preventScroll: true });
  }, [position]);
  useEffect(() => {
    window.addEventListener('blur', onClose);
    return () => window.removeEventListener('blur', onClose);
  }, [onClose]);
  usePressOutside(() => menu.current, onClose);
  function returnFocus(): void {
    onClose();
    if (opener.current instanceof HTMLElement) opener.current.focus();
  }
  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault();
      returnFocus();
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const items = [...(menu.current?.querySelectorAll('button') ?? [])];
    const focusedIndex = items.findIndex((each) => each === document.activeElement);
    items[(focusedIndex + step + items.length) % items.length]?.focus();
  }
  const runAndClose = (action: () => void) => () => {
    returnFocus();
    action();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- its keys are the arrows of a menu; what they reach are buttons
    <div
      ref={menu}
      className={`${styles['menu']} popup`}
      role="menu"
      aria-label={`Menu for ${item.entry.name}`}
      onKeyDown={onKeyDown}
    >
      <button type="button" role="menuitem" onClick={runAndClose(() => actions.open(item, day))}>
        <IconPencil size={16} stroke={1.75} />
        Open
      </button>
      <button type="button" role="menuitem" onClick={runAndClose(() => actions.openMoveDialog(item, day))}>
        <IconArrowRight size={16} stroke={1.75} />
        Move to…<kbd>M</kbd>
      </button>
      <button type="button" role="menuitem" data-danger onClick={runAndClose(() => actions.remove(item, day))}>
        <IconTrash size={16} stroke={1.75} />
        Delete<kbd>Del</kbd>
      </button>
    </div>
  );
}
