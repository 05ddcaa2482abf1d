import { useCallback, useRef, useState, type RefObject, useMemo } from 'react';
import { toIso, type Day } from '#platform/contract/day.ts';
import { formatDayRelativeTo } from '../../events/domain/dateNames.ts';
import { parseDay } from '../../events/domain/day.ts';
import type { CalendarViewProps } from '../selection.ts';
import { useDeleteEvent, useMoveEvent } from '../useEventMutations.ts';
import {
  getEntryKey,
  type DayEntry,
  type LoadedDays,
  listEntries,
  getFirstDay,
  applyPending,
  type PendingMove,
} from './dayEntries.ts';
import { useStableActions } from './entryActions.ts';
import type { OpenMenu } from './EntryMenu.tsx';
import type { MoveRequest } from './MoveDialog.tsx';

/** Maximum number of changes that wait for fresh data. */
const MAX_PENDING_CHANGES = 20;

/** Asks whether one day or all days of a repeat are moved, or deleted if `to` is undefined. */
export interface RepeatQuestion {
  readonly item: DayEntry;
  readonly from: Day;
  readonly to: Day | undefined;
}

/** Moves and deletes entries with optimistic updates, which are reverted if the server refuses. */
function useDayChanges(days: LoadedDays | undefined, today: Day) {
  const moveMutation = useMoveEvent();
  const deleteMutation = useDeleteEvent();
  const [pending, setPending] = useState<readonly PendingMove[]>([]);
  const [question, setQuestion] = useState<RepeatQuestion>();
  const [announcement, setAnnouncement] = useState('');

  async function send({ item, from, to }: RepeatQuestion, only: boolean): Promise<void> {
    const change: PendingMove = { item, from, to, only };
    const id = item.entry.eventid;
    setPending((all) => [...all, change].slice(-MAX_PENDING_CHANGES));
    const settleChange = (revision?: number): void =>
      setPending((all) =>
        all.flatMap((each) => (each !== change ? [each] : revision === undefined ? [] : [{ ...change, revision }])),
      );
    // Dragged by a later part, it is identified by the day on which it starts.
    const dayOffset = item.entry.began === undefined ? 0 : from - getFirstDay(item);
    const day = toIso(from - dayOffset);
    try {
      const { revision } =
        to === undefined
          ? await deleteMutation.mutateAsync({ id, ...(only ? { occurrence: day } : {}) })
          : await moveMutation.mutateAsync({ id, from: day, to: toIso(to - dayOffset), only });
      settleChange(revision);
      setAnnouncement(
        `${item.entry.name} ${to === undefined ? 'deleted' : `moved to ${formatDayRelativeTo(to, today)}`}`,
      );
    } catch {
      // The mutation shows the refusal. Here the change is only reverted.
      settleChange();
    }
  }
  function changeEntry(request: RepeatQuestion, only?: boolean): void {
    if (request.to === request.from) return;
    if (request.item.entry.type === 'repeat' && only === undefined) setQuestion(request);
    else void send(request, only ?? false);
  }

  const entries = useMemo((): readonly DayEntry[] => {
    if (days === undefined) return [];
    const proposed = question ? [{ ...question, only: true }] : [];
    return applyPending(listEntries(days), [...pending, ...proposed], days.revision);
  }, [days, pending, question]);

  return {
    /** The entries including pending changes. */
    entries,
    /** Moves an entry from one of its days to another one. For a repeat it asks which days, unless `only` is given. */
    move: (item: DayEntry, from: Day, to: Day, only?: boolean): void => changeEntry({ item, from, to }, only),
    remove: (item: DayEntry, from: Day): void => changeEntry({ item, from, to: undefined }),
    question,
    /** `undefined` cancels. */
    answerQuestion: (only: boolean | undefined): void => {
      setQuestion(undefined);
      if (question && only !== undefined) void send(question, only);
    },
    /** The last change, for a status line. */
    announcement,
  };
}

interface DayActionsOptions extends CalendarViewProps {
  readonly root: RefObject<HTMLElement | null>;
  readonly days: LoadedDays | undefined;
  /** Gets the day to which an entry was moved, or from which it was deleted, and whether to focus it. */
  readonly onChanged: (day: Day, focus: boolean) => void;
}

/** Returns the entries of some days and their actions, which month, week and phone share. */
export function useDayActions({ root, days, today: isoToday, onSelect, onChanged }: DayActionsOptions) {
  const today = parseDay(isoToday) ?? 0;
  const { entries, move, remove, question, answerQuestion, announcement } = useDayChanges(days, today);
  const [moveRequest, setMoveRequest] = useState<MoveRequest>();
  const [menu, setMenu] = useState<OpenMenu>();
  const dragged = useRef<MoveRequest>(undefined);
  const hasFocusWithin = (): boolean => root.current?.contains(document.activeElement) === true;

  const actions = useStableActions({
    open: ({ entry }, day) =>
      onSelect({ kind: 'event', id: entry.eventid, date: entry.began ?? toIso(day), type: entry.type }),
    openMenu: (item, day, position) => setMenu({ item, day, position }),
    openMoveDialog: (item, from) => {
      if (!item.entry.fixed) setMoveRequest({ item, from });
    },
    remove: (item, day) => {
      if (item.entry.fixed) return;
      const focus = hasFocusWithin();
      remove(item, day);
      if (item.entry.type !== 'repeat') onChanged(day, focus);
    },
    drag: (item, from) => {
      dragged.current = { item, from };
    },
    drop: (to) => {
      const request = dragged.current;
      dragged.current = undefined;
      if (!request) return;
      move(request.item, request.from, to);
      onChanged(to, false);
    },
  });

  return {
    entries,
    actions,
    /** Returns the entry that an element draws, and the day on which it is drawn. */
    findEntry: (element: Element | null): { readonly item: DayEntry; readonly day: Day } | undefined => {
      const chip = element?.closest<HTMLElement>('[data-entry]');
      const item = entries.find((each) => getEntryKey(each) === chip?.dataset['entry']);
      return item && { item, day: Number(chip?.dataset['on']) };
    },
    /** Props of `EntryDialogs`. */
    dialogs: {
      actions,
      today,
      announcement,
      menu,
      closeMenu: useCallback(() => setMenu(undefined), []),
      moveRequest,
      closeMoveDialog: () => setMoveRequest(undefined),
      onMove: ({ item, from }: MoveRequest, to: Day, only: boolean): void => {
        setMoveRequest(undefined);
        move(item, from, to, only);
        onChanged(to, true);
      },
      question,
      onAnswer: (only: boolean | undefined): void => {
        if (question) onChanged(only === undefined ? question.from : (question.to ?? question.from), true);
        answerQuestion(only);
      },
    },
  };
}
