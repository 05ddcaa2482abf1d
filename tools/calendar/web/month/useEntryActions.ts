import { useCallback, useRef, useState, type RefObject, useMemo } from 'react';
import { toIso, type Day } from '#platform/contract/day.ts';
import { formatDayRelativeTo } from '../../events/domain/dateNames.ts';
import { parseDay } from '../../events/domain/day.ts';
import type { CalendarViewProps } from '../selection.ts';
import { useDeleteEvent, useMoveEvent } from '../useEventMutations.ts';
import {
  getEntryKey,
  type DayEntry,
  type Days,
  listEntries,
  getFirstDay,
  withPending,
  type PendingMove,
} from './dayEntries.ts';
import { useLasting } from './entryActions.ts';
import type { OpenMenu } from './EntryMenu.tsx';
import type { MoveRequest } from './MoveDialog.tsx';

/** Maximum number of changes that wait for fresh data. */
const MAX_PENDING_CHANGES = 20;

/**
 * A repeat was moved or deleted, and the user must say whether one day or all are meant. Without `to` it was deleted.
 */
export interface RepeatQuestion {
  readonly item: DayEntry;
  readonly from: Day;
  readonly to: Day | undefined;
}

/** Moves and deletes entries with optimistic updates, which are reverted if the server refuses. */
function useDayChanges(days: Days | undefined, today: Day) {
  const moving = useMoveEvent();
  const deleting = useDeleteEvent();
  const [pending, setPending] = useState<readonly PendingMove[]>([]);
  const [question, setQuestion] = useState<RepeatQuestion>();
  const [announcement, setSaid] = useState('');

  const send = async ({ item, from, to }: RepeatQuestion, only: boolean): Promise<void> => {
    const change: PendingMove = { item, from, to, only };
    const id = item.entry.eventid;
    setPending((all) => [...all, change].slice(-MAX_PENDING_CHANGES));
    const put = (revision?: number): void =>
      setPending((all) =>
        all.flatMap((each) => (each !== change ? [each] : revision === undefined ? [] : [{ ...change, revision }])),
      );
    // Dragged by a later part, it is identified by the day on which it starts.
    const earlier = item.entry.began === undefined ? 0 : from - getFirstDay(item);
    const day = toIso(from - earlier);
    try {
      const { revision } =
        to === undefined
          ? await deleting.mutateAsync({ id, ...(only ? { occurrence: day } : {}) })
          : await moving.mutateAsync({ id, from: day, to: toIso(to - earlier), only });
      put(revision);
      setSaid(`${item.entry.name} ${to === undefined ? 'deleted' : `moved to ${formatDayRelativeTo(to, today)}`}`);
    } catch {
      // The mutation shows the refusal. Here the change is only reverted.
      put();
    }
  };
  const change = (what: RepeatQuestion, only?: boolean): void => {
    if (what.to === what.from) return;
    if (what.item.entry.type === 'repeat' && only === undefined) setQuestion(what);
    else void send(what, only ?? false);
  };

  const entries = useMemo((): readonly DayEntry[] => {
    if (days === undefined) return [];
    const open = question && { ...question, only: true };
    return withPending(listEntries(days), open ? [...pending, open] : pending, days.revision);
  }, [days, pending, question]);

  return {
    /** The entries including pending changes. */
    entries,
    /**
     * Moves an entry from one of its days to another one. For a repeat it asks which days are meant, unless `only` says
     * so.
     */
    move: (item: DayEntry, from: Day, to: Day, only?: boolean): void => change({ item, from, to }, only),
    remove: (item: DayEntry, from: Day): void => change({ item, from, to: undefined }),
    question,
    /** `undefined` cancels. */
    answer: (only: boolean | undefined): void => {
      setQuestion(undefined);
      if (question && only !== undefined) void send(question, only);
    },
    /** The last change, for a status line. */
    announcement,
  };
}

interface DayActionsOptions extends CalendarViewProps {
  readonly root: RefObject<HTMLElement | null>;
  readonly days: Days | undefined;
  /**
   * The day to which an entry was moved, or from which it was deleted. `focus`: focus it, because the keyboard was
   * used.
   */
  readonly onChanged: (day: Day, focus: boolean) => void;
}

/** The entries of some days and their actions. Month, week and phone share it. */
export function useDayActs({ root, days, today, onSelect, onChanged }: DayActionsOptions) {
  const now = parseDay(today) ?? 0;
  const { entries, move, remove, question, answer, announcement } = useDayChanges(days, now);
  const [moving, setMoving] = useState<MoveRequest>();
  const [menu, setMenu] = useState<OpenMenu>();
  const dragged = useRef<MoveRequest>(undefined);
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
      dragged.current = { item, from };
    },
    drop: (to) => {
      const what = dragged.current;
      dragged.current = undefined;
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
      const item = entries.find((each) => getEntryKey(each) === chip?.dataset['entry']);
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
