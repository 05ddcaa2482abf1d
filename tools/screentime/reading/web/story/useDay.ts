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
import { getDayClock } from '../timeline/dayClock.ts';
import { ALL_DEVICES_ID } from '../useViewOptions.ts';
import type { DayStoryProps, Scope, Computers } from '../viewTypes.ts';

const NO_INTERVALS: readonly StoryInterval[] = [];

/** Loads all intervals of a day in the browser's zone, sorted by time. */
export function useStory({ deviceid }: Pick<Scope, 'deviceid'>, date: string) {
  const { start, length } = getDayClock(date);
  const { data, error, isPending, refetch } = useQuery({
    queryKey: [SCREEN_TIME, 'story', deviceid, date],
    queryFn: async () =>
      (await call(usagestory, { from: String(start), until: String(start + length), deviceid })).stretches,
  });
  return { intervals: useMemo(() => (data ? joinIntervals(data) : NO_INTERVALS), [data]), error, isPending, refetch };
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
export function useCorrections() {
  const queryClient = useQueryClient();
  const [doneCorrections, setDoneCorrections] = useState<readonly StoryCorrection[]>([]);
  const change = useMutation({
    mutationFn: async ({ remove, add }: Pick<StoryCorrection, 'remove' | 'add'>): Promise<void> => {
      const device = [...remove, ...add][0]?.device;
      if (device === undefined) return;
      await call(changeusage, { device, remove: remove.map(toWire), add: add.map(toWire) });
      void queryClient.invalidateQueries({ queryKey: [SCREEN_TIME] });
      // Waits for the day, so that nothing is corrected twice; the page behind updates later.
      await queryClient.invalidateQueries({ queryKey: [SCREEN_TIME, 'story'] }, { cancelRefetch: false });
    },
  });
  return {
    isBusy: change.isPending,
    error: change.error ?? undefined,
    reset: change.reset,
    last: doneCorrections.at(-1),
    correct: (correction: StoryCorrection, onSuccess?: () => void): void =>
      change.mutate(correction, {
        onSuccess: () => {
          setDoneCorrections([...doneCorrections, correction]);
          onSuccess?.();
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
export const STATUS_LABELS: Readonly<Record<Status, string>> = {
  on: 'In focus',
  off: 'Open',
  s: 'Playing',
  r: 'Recording',
};

export function formatComputerName(computers: Computers, device: number): string {
  return Object.hasOwn(computers, String(device)) ? (computers[String(device)] ?? '') : 'a removed computer';
}

/** Returns a unique key within a day. */
export function getKey({ device, application, status, from }: StoryInterval): string {
  return [device, status, from, application].join(' ');
}

/** Formats `09:12 to 09:40` in the clock of this day; its end is 24:00. */
export function formatTimes({ from, until }: Pick<StoryInterval, 'from' | 'until'>, date: string): string {
  const { start, length } = getDayClock(date);
  return `${formatClockTime(from)} to ${until === start + length ? '24:00' : formatClockTime(until)}`;
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
  readonly isExisting: boolean;
  /** The computer can be selected. */
  readonly canSelectComputer: boolean;
}

/** Creates half an hour from noon on, or the last half hour if noon is in the future. */
function createInterval(date: string, device: number): StoryInterval {
  const { start, length } = getDayClock(date);
  const until = Math.min(start + length / 2 + HALF_HOUR_MS, Date.now());
  return { device, application: '', status: 'on', from: until - HALF_HOUR_MS, until };
}

/** Restores the focus after the form is closed. */
function restoreFocus(selector: string): void {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) document.querySelector<HTMLElement>(selector)?.focus();
  });
}

/** Manages the intervals of a day and their corrections. */
export function useDay({ scope, date, computers }: Pick<DayStoryProps, 'scope' | 'date' | 'computers'>) {
  const story = useStory(scope, date);
  const correcting = useCorrections();
  const [editing, setEditing] = useState<EditedInterval>();
  const { intervals } = story;
  const devices = useMemo(
    () => [...new Set(intervals.map(({ device }) => device))].toSorted((a, b) => a - b),
    [intervals],
  );
  const computerIds = Object.keys(computers).map(Number);
  /** Initial computer of a new interval; undefined if there is none. */
  const device =
    scope.deviceid === ALL_DEVICES_ID
      ? (devices.find((id) => computerIds.includes(id)) ?? computerIds[0] ?? devices[0])
      : Number(scope.deviceid);
  const canSelectComputer = scope.deviceid === ALL_DEVICES_ID && computerIds.length > 1;
  function edit(next: EditedInterval | undefined): void {
    correcting.reset();
    setEditing(next);
  }
  return {
    ...useColours(scope),
    story,
    correcting,
    intervals,
    devices,
    editing,
    close: () => {
      edit(undefined);
      restoreFocus(editing?.isExisting ? `[data-edit="${CSS.escape(getKey(editing.interval))}"]` : '[data-add]');
    },
    edit: (interval: StoryInterval) => edit({ interval, isExisting: true, canSelectComputer: false }),
    add:
      device === undefined
        ? undefined
        : () => edit({ interval: createInterval(date, device), isExisting: false, canSelectComputer }),
    save: (changed: StoryInterval): void => {
      if (!editing) return;
      const text = `${editing.isExisting ? 'Changed' : 'Added'} ${changed.application}, ${formatTimes(changed, date)}`;
      const remove = editing.isExisting ? [editing.interval] : [];
      correcting.correct({ remove, add: [changed], text }, () => setEditing(undefined));
    },
    remove: (interval: StoryInterval): void => {
      const text = `Deleted ${interval.application}, ${formatTimes(interval, date)}`;
      correcting.correct({ remove: [interval], add: [], text });
    },
  };
}

export type LoadedDay = ReturnType<typeof useDay>;
