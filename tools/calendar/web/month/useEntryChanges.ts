import { useMemo, useState } from 'react';
import { dayNameBeside } from '../../events/domain/dateNames.ts';
import { toIso, type Day } from '../../events/domain/day.ts';
import { useDeleteEvent, useMoveEvent } from '../useEventMutations.ts';
import { entriesOf, firstDayOf, withPending, type DayEntry, type Days, type PendingMove } from './dayEntries.ts';

/** As many changes stand here as may wait for their days to come anew. */
const MAX_PENDING_CHANGES = 20;

/** A repeat was moved or deleted, and it is not said yet whether all of it. `to` undefined: deleted. */
export interface RepeatQuestion {
  readonly item: DayEntry;
  readonly from: Day;
  readonly to: Day | undefined;
}

/** Moves and deletes entries: shown at once, taken back where the server refuses. */
export function useDayChanges(days: Days | undefined, today: Day) {
  const moving = useMoveEvent();
  const deleting = useDeleteEvent();
  const [pending, setPending] = useState<readonly PendingMove[]>([]);
  const [asked, setAsked] = useState<RepeatQuestion>();
  const [said, setSaid] = useState('');

  const send = async ({ item, from, to }: RepeatQuestion, only: boolean): Promise<void> => {
    const change: PendingMove = { item, from, to, only };
    const id = item.entry.eventid;
    setPending((all) => [...all, change].slice(-MAX_PENDING_CHANGES));
    const put = (revision?: number): void =>
      setPending((all) =>
        all.flatMap((each) => (each !== change ? [each] : revision === undefined ? [] : [{ ...change, revision }])),
      );
    // Taken by a later part of it, it is named by the day on which it begins.
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
      // Its sentence is shown by what sent it; here it only goes back.
      put();
    }
  };
  const change = (what: RepeatQuestion, only?: boolean): void => {
    if (what.to === what.from) return;
    if (what.item.entry.type === 'repeat' && only === undefined) setAsked(what);
    else void send(what, only ?? false);
  };

  const entries = useMemo((): readonly DayEntry[] => {
    if (days === undefined) return [];
    const open = asked && { ...asked, only: true };
    return withPending(entriesOf(days), open ? [...pending, open] : pending, days.revision);
  }, [days, pending, asked]);

  return {
    /** As they will stand. */
    entries,
    /** Puts an entry from one of its days on another one. Of a repeat it asks which days are meant, where that is not said. */
    move: (item: DayEntry, from: Day, to: Day, only?: boolean): void => change({ item, from, to }, only),
    remove: (item: DayEntry, from: Day): void => change({ item, from, to: undefined }),
    asked,
    /** Undefined: it goes back. */
    answer: (only: boolean | undefined): void => {
      setAsked(undefined);
      if (asked && only !== undefined) void send(asked, only);
    },
    /** For a status line: what was done last. */
    said,
  };
}
