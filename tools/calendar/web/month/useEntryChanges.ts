import { useMemo, useState } from 'react';
import { toIso, type Day } from '#platform/contract/day.ts';
import { dayNameBeside } from '../../events/domain/dateNames.ts';
import { useDeleteEvent, useMoveEvent } from '../useEventMutations.ts';
import { entriesOf, firstDayOf, withPending, type DayEntry, type Days, type PendingMove } from './dayEntries.ts';

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
export function useDayChanges(days: Days | undefined, today: Day) {
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
    const earlier = item.entry.began === undefined ? 0 : from - firstDayOf(item);
    const day = toIso(from - earlier);
    try {
      const { revision } =
        to === undefined
          ? await deleting.mutateAsync({ id, ...(only ? { occurrence: day } : {}) })
          : await moving.mutateAsync({ id, from: day, to: toIso(to - earlier), only });
      put(revision);
      setSaid(`${item.entry.name} ${to === undefined ? 'deleted' : `moved to ${dayNameBeside(to, today)}`}`);
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
    return withPending(entriesOf(days), open ? [...pending, open] : pending, days.revision);
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
