import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { padTwo } from '#platform/contract/text.ts';
import { call } from '#platform/web/app/call.ts';
import { formatClockTime, formatIsoDate } from '#platform/web/browser/formats.ts';
import { changeusage, usagestory } from '#tools/screentime/contract.ts';
import type { Status } from '#tools/screentime/contract/limits.ts';
import { SCREEN_TIME } from '#tools/screentime/web/usageClock.ts';
import type { StoryInterval } from '../../../usage/domain/interval.ts';
import { joinIntervals } from '../../domain/dayStory.ts';
import { useColours } from '../days/DayDialogs.tsx';
import { dayClock } from '../timeline/dayClock.ts';
import { ALL } from '../useViewOptions.ts';
import type { DayStoryProps, Scope, Computers } from '../viewTypes.ts';

const NONE: readonly StoryInterval[] = [];

/** Loads all intervals of a day in the browser's zone, sorted by time. */
export function useStory({ deviceid }: Pick<Scope, 'deviceid'>, date: string) {
  const { begin, length } = dayClock(date);
  const { data, error, isPending, refetch } = useQuery({
    queryKey: [SCREEN_TIME, 'story', deviceid, date],
    queryFn: async () =>
      (await call(usagestory, { from: String(begin), until: String(begin + length), deviceid })).stretches,
  });
  return { stretches: useMemo(() => (data ? joinIntervals(data) : NONE), [data]), error, isPending, again: refetch };
}

/** A correction of a day. Both lists belong to one computer. */
export interface StoryCorrection {
  readonly remove: readonly StoryInterval[];
  readonly add: readonly StoryInterval[];
  /** Text of the undo offer. */
  readonly text: string;
}

const toWire = ({ application, status, from, until, title }: StoryInterval) => ({
  application,
  status,
  from,
  until,
  title,
});

/** Corrects a day, with an undo stack. */
export function useCorrecting() {
  const queries = useQueryClient();
  const [doneCorrections, setDoneCorrections] = useState<readonly StoryCorrection[]>([]);
  const change = useMutation({
    mutationFn: async ({ remove, add }: Pick<StoryCorrection, 'remove' | 'add'>): Promise<void> => {
      const device = [...remove, ...add][0]?.device;
      if (device === undefined) return;
      await call(changeusage, { device, remove: remove.map(toWire), add: add.map(toWire) });
      void queries.invalidateQueries({ queryKey: [SCREEN_TIME] });
      // Waits for the day, so that nothing is corrected twice; the page behind updates later.
      await queries.invalidateQueries({ queryKey: [SCREEN_TIME, 'story'] }, { cancelRefetch: false });
    },
  });
  return {
    isBusy: change.isPending,
    error: change.error ?? undefined,
    forget: change.reset,
    last: doneCorrections.at(-1),
    correct: (correction: StoryCorrection, then?: () => void): void =>
      change.mutate(correction, {
        onSuccess: () => {
          setDoneCorrections([...doneCorrections, correction]);
          then?.();
        },
      }),
    undo: (): void => {
      const last = doneCorrections.at(-1);
      if (!last || change.isPending) return;
      change.mutate(
        { remove: last.add, add: last.remove },
        { onSuccess: () => setDoneCorrections(doneCorrections.slice(0, -1)) },
      );
    },
  };
}

/** Display names of statuses. */
export const statusWords: Readonly<Record<Status, string>> = {
  on: 'In focus',
  off: 'Open',
  s: 'Playing',
  r: 'Recording',
};

export function computerName(computers: Computers, device: number): string {
  return Object.hasOwn(computers, String(device)) ? (computers[String(device)] ?? '') : 'a removed computer';
}

/** Returns a unique key within a day. */
export function getKey({ device, application, status, from }: StoryInterval): string {
  return [device, status, from, application].join(' ');
}

/** Formats `09:12 to 09:40` in the clock of this day; its end is 24:00. */
export function formatTimes({ from, until }: Pick<StoryInterval, 'from' | 'until'>, date: string): string {
  const { begin, length } = dayClock(date);
  return `${formatClockTime(from)} to ${until === begin + length ? '24:00' : formatClockTime(until)}`;
}

/** Formats a moment for a date and time field: `2026-11-22T09:12:30`. */
export function formatFieldMoment(moment: number): string {
  const date = new Date(moment);
  return `${formatIsoDate(date)}T${padTwo(date.getHours())}:${padTwo(date.getMinutes())}:${padTwo(date.getSeconds())}`;
}

/** Parses such a field; undefined if it is empty or invalid. */
export function parseFieldMoment(text: string): number | undefined {
  const moment = new Date(text).getTime();
  return text === '' || Number.isNaN(moment) ? undefined : moment;
}

const HALF_HOUR_MS = 1_800_000;

/** The interval in the form: an existing or a new one. */
interface EditedInterval {
  readonly interval: StoryInterval;
  readonly isThere: boolean;
  /** The computer can be selected. */
  readonly isOfAny: boolean;
}

/** Creates half an hour from noon on, or the last half hour if noon is in the future. */
const createInterval = (date: string, device: number): StoryInterval => {
  const { begin, length } = dayClock(date);
  const until = Math.min(begin + length / 2 + HALF_HOUR_MS, Date.now());
  return { device, application: '', status: 'on', from: until - HALF_HOUR_MS, until };
};

/** Restores the focus after the form is closed. */
const restoreFocus = (selector: string): void => {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) document.querySelector<HTMLElement>(selector)?.focus();
  });
};

/** Manages the intervals of a day and their corrections. */
export function useDay({ scope, date, computers }: Pick<DayStoryProps, 'scope' | 'date' | 'computers'>) {
  const story = useStory(scope, date);
  const correcting = useCorrecting();
  const [editing, setEditing] = useState<EditedInterval>();
  const { stretches: intervals } = story;
  const devices = useMemo(
    () => [...new Set(intervals.map(({ device }) => device))].toSorted((one, other) => one - other),
    [intervals],
  );
  const own = Object.keys(computers).map(Number);
  /** Initial computer of a new interval; undefined if there is none. */
  const device =
    scope.deviceid === ALL
      ? (devices.find((each) => own.includes(each)) ?? own[0] ?? devices[0])
      : Number(scope.deviceid);
  const isOfAny = scope.deviceid === ALL && own.length > 1;
  const edit = (next: EditedInterval | undefined): void => {
    correcting.forget();
    setEditing(next);
  };
  return {
    ...useColours(scope),
    story,
    correcting,
    stretches: intervals,
    devices,
    editing,
    close: () => {
      edit(undefined);
      restoreFocus(editing?.isThere ? `[data-edit="${CSS.escape(getKey(editing.interval))}"]` : '[data-add]');
    },
    edit: (interval: StoryInterval) => edit({ interval, isThere: true, isOfAny: false }),
    add:
      device === undefined
        ? undefined
        : () => edit({ interval: createInterval(date, device), isThere: false, isOfAny }),
    save: (changed: StoryInterval): void => {
      if (!editing) return;
      const text = `${editing.isThere ? 'Changed' : 'Added'} ${changed.application}, ${formatTimes(changed, date)}`;
      const remove = editing.isThere ? [editing.interval] : [];
      correcting.correct({ remove, add: [changed], text }, () => setEditing(undefined));
    },
    remove: (interval: StoryInterval): void => {
      const text = `Deleted ${interval.application}, ${formatTimes(interval, date)}`;
      correcting.correct({ remove: [interval], add: [], text });
    },
  };
}

export type LoadedDay = ReturnType<typeof useDay>;
