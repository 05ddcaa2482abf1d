import { useMemo, useState } from 'react';
import type { StoryInterval } from '../../domain/dayStory.ts';
import { useColours } from '../days/useColours.ts';
import { dayClock } from '../timeline/dayClock.ts';
import { ALL } from '../useViewOptions.ts';
import type { DayStoryProps } from '../viewTypes.ts';
import { useCorrecting, useStory } from './useStory.ts';
import { keyOf, timesOf } from './words.ts';

const HALF_HOUR_MS = 1_800_000;

/** What is in the form: one of the day's, or one to be put in. */
interface EditedInterval {
  readonly stretch: StoryInterval;
  readonly isThere: boolean;
  /** It may be of any computer, which is chosen with it. */
  readonly isOfAny: boolean;
}

/** Half an hour from noon on, or the last one where that is still to come. */
const newStretch = (date: string, device: number): StoryInterval => {
  const { begin, length } = dayClock(date);
  const until = Math.min(begin + length / 2 + HALF_HOUR_MS, Date.now());
  return { device, application: '', status: 'on', from: until - HALF_HOUR_MS, until };
};

/** After the form is gone: where the keyboard was before. */
const backTo = (selector: string): void => {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) document.querySelector<HTMLElement>(selector)?.focus();
  });
};

/** A day's stretches, and what is being corrected of them. */
export const useDay = ({ scope, date, computers }: Pick<DayStoryProps, 'scope' | 'date' | 'computers'>) => {
  const story = useStory(scope, date);
  const correcting = useCorrecting();
  const [editing, setEditing] = useState<EditedInterval>();
  const { stretches } = story;
  const devices = useMemo(
    () => [...new Set(stretches.map(({ device }) => device))].toSorted((one, other) => one - other),
    [stretches],
  );
  const own = Object.keys(computers).map(Number);
  /** The computer that a new stretch is of at first; undefined where there is none. */
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
    stretches,
    devices,
    editing,
    close: () => {
      edit(undefined);
      backTo(editing?.isThere ? `[data-edit="${CSS.escape(keyOf(editing.stretch))}"]` : '[data-add]');
    },
    edit: (stretch: StoryInterval) => edit({ stretch, isThere: true, isOfAny: false }),
    add: device === undefined ? undefined : () => edit({ stretch: newStretch(date, device), isThere: false, isOfAny }),
    save: (changed: StoryInterval): void => {
      if (!editing) return;
      const text = `${editing.isThere ? 'Changed' : 'Added'} ${changed.application}, ${timesOf(changed, date)}`;
      const remove = editing.isThere ? [editing.stretch] : [];
      correcting.correct({ remove, add: [changed], text }, () => setEditing(undefined));
    },
    remove: (stretch: StoryInterval): void => {
      const text = `Deleted ${stretch.application}, ${timesOf(stretch, date)}`;
      correcting.correct({ remove: [stretch], add: [], text });
    },
  };
};

export type TheDay = ReturnType<typeof useDay>;
