import { useCallback, useRef, useState, type RefObject } from 'react';
import { toIso, type Day } from '#platform/contract/day.ts';
import { parseDay } from '../../events/domain/day.ts';
import type { PartProps } from '../selection.ts';
import { entryKey, type DayEntry, type Days } from './dayEntries.ts';
import { useLasting } from './entryActions.ts';
import type { OpenMenu } from './EntryMenu.tsx';
import type { MoveRequest } from './MoveDialog.tsx';
import { useDayChanges } from './useEntryChanges.ts';

interface DayActsOptions extends PartProps {
  readonly root: RefObject<HTMLElement | null>;
  readonly days: Days | undefined;
  /**
   * The day to which an entry was moved, or from which it was deleted. `focus`: focus it, because the keyboard was
   * used.
   */
  readonly onChanged: (day: Day, focus: boolean) => void;
}

/** The entries of some days and their actions. Month, week and phone share it. */
export function useDayActs({ root, days, today, onSelect, onChanged }: DayActsOptions) {
  const now = parseDay(today) ?? 0;
  const { entries, move, remove, question, answer, announcement } = useDayChanges(days, now);
  const [moving, setMoving] = useState<MoveRequest>();
  const [menu, setMenu] = useState<OpenMenu>();
  const carried = useRef<MoveRequest>(undefined);
  const isByKeys = (): boolean => root.current?.contains(document.activeElement) === true;

  const acts = useLasting({
    open: ({ entry }, day) =>
      onSelect({ kind: 'event', id: entry.eventid, date: entry.began ?? toIso(day), type: entry.type }),
    menu: (item, day, at) => setMenu({ item, day, at }),
    askDay: (item, from) => {
      if (!item.entry.fixed) setMoving({ item, from });
    },
    remove: (item, day) => {
      if (item.entry.fixed) return;
      const focus = isByKeys();
      remove(item, day);
      if (item.entry.type !== 'repeat') onChanged(day, focus);
    },
    drag: (item, from) => {
      carried.current = { item, from };
    },
    drop: (to) => {
      const what = carried.current;
      carried.current = undefined;
      if (!what) return;
      move(what.item, what.from, to);
      onChanged(to, false);
    },
  });

  return {
    entries,
    acts,
    /** Returns the entry that an element draws, and the day on which it is drawn. */
    entryAt: (element: Element | null): { readonly item: DayEntry; readonly day: Day } | undefined => {
      const chip = element?.closest<HTMLElement>('[data-entry]');
      const item = entries.find((each) => entryKey(each) === chip?.dataset['entry']);
      return item && { item, day: Number(chip?.dataset['on']) };
    },
    /** Props of `EntryDialogs`. */
    dialogs: {
      acts,
      today: now,
      announcement,
      menu,
      closeMenu: useCallback(() => setMenu(undefined), []),
      moving,
      closeMoving: () => setMoving(undefined),
      onMove: ({ item, from }: MoveRequest, to: Day, only: boolean): void => {
        setMoving(undefined);
        move(item, from, to, only);
        onChanged(to, true);
      },
      question,
      onAnswer: (only: boolean | undefined): void => {
        if (question) onChanged(only === undefined ? question.from : (question.to ?? question.from), true);
        answer(only);
      },
    },
  };
}
