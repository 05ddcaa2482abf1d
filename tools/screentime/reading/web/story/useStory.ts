import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { call } from '#platform/web/app/call.ts';
import { changeusage, usagestory } from '#tools/screentime/contract.ts';
import { SCREEN_TIME } from '#tools/screentime/web/keys.ts';
import { joined, type StoryInterval } from '../../domain/dayStory.ts';
import { dayClock } from '../timeline/dayClock.ts';
import type { Scope } from '../viewTypes.ts';

const NONE: readonly StoryInterval[] = [];

/** Everything of a day of the browser's zone, in order of time. */
export const useStory = ({ deviceid }: Pick<Scope, 'deviceid'>, date: string) => {
  const { begin, length } = dayClock(date);
  const { data, error, isPending, refetch } = useQuery({
    queryKey: [SCREEN_TIME, 'story', deviceid, date],
    queryFn: async () =>
      (await call(usagestory, { from: String(begin), until: String(begin + length), deviceid })).stretches,
  });
  return { stretches: useMemo(() => (data ? joined(data) : NONE), [data]), error, isPending, again: refetch };
};

/** What of a day is to be another. Both belong to one computer. */
export interface StoryCorrection {
  readonly remove: readonly StoryInterval[];
  readonly add: readonly StoryInterval[];
  /** What was done, for the line that offers to take it back. */
  readonly text: string;
}

const onWire = ({ application, status, from, until, title }: StoryInterval) => ({
  application,
  status,
  from,
  until,
  title,
});

/** Corrects a day; what was done here last can be taken back, one after another. */
export const useCorrecting = () => {
  const queries = useQueryClient();
  const [done, setDone] = useState<readonly StoryCorrection[]>([]);
  const change = useMutation({
    mutationFn: async ({ remove, add }: Pick<StoryCorrection, 'remove' | 'add'>): Promise<void> => {
      const device = [...remove, ...add][0]?.device;
      if (device === undefined) return;
      await call(changeusage, { device, remove: remove.map(onWire), add: add.map(onWire) });
      void queries.invalidateQueries({ queryKey: [SCREEN_TIME] });
      // The day itself is waited for, so that nothing is corrected twice; the page behind it follows.
      await queries.invalidateQueries({ queryKey: [SCREEN_TIME, 'story'] }, { cancelRefetch: false });
    },
  });
  return {
    isBusy: change.isPending,
    error: change.error ?? undefined,
    forget: change.reset,
    last: done.at(-1),
    correct: (correction: StoryCorrection, then?: () => void): void =>
      change.mutate(correction, {
        onSuccess: () => {
          setDone([...done, correction]);
          then?.();
        },
      }),
    undo: (): void => {
      const last = done.at(-1);
      if (!last || change.isPending) return;
      change.mutate({ remove: last.add, add: last.remove }, { onSuccess: () => setDone(done.slice(0, -1)) });
    },
  };
};
