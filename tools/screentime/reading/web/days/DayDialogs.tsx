import { Suspense, useCallback, useState, useMemo } from 'react';
import { useCommands } from '#platform/web/app/commands.ts';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { today } from '#tools/screentime/web/usageClock.ts';
import { coloursBy, NEUTRAL } from '../picker/applicationList.ts';
import { useApplications } from '../useUsage.ts';
import type { Computers, Scope } from '../viewTypes.ts';

const NONE: ReadonlyMap<string, string> = new Map();

/** Loads the colours and names of all applications. */
export function useColours(scope: Scope) {
  const { data } = useApplications(scope.deviceid, true);
  const colours = useMemo(() => (data ? coloursBy(data) : NONE), [data]);
  return {
    getColour: useCallback((application: string) => colours.get(application) ?? NEUTRAL, [colours]),
    applications: useMemo(() => (data?.flat ?? []).map(({ name }) => name), [data]),
  };
}

const DayStory = lazyPart(async () => (await import('../story/DayStory.tsx')).DayStory);
const Periods = lazyPart(async () => (await import('./Periods.tsx')).Periods);

type OpenDialog = { readonly kind: 'day'; readonly date: string } | { readonly kind: 'periods' };

/** Manages the open dialog. Both functions are stable. */
export function useDayDialogs() {
  const [opened, setOpened] = useState<OpenDialog>();
  const openDay = useCallback((date: string): void => setOpened({ kind: 'day', date }), []);
  const openPeriods = useCallback((): void => setOpened({ kind: 'periods' }), []);
  useCommands([
    {
      id: 'screentime.today',
      name: 'Show details for today',
      run: () => openDay(today()),
    },
    { id: 'screentime.periods', name: 'Choose period', run: openPeriods },
  ]);
  return { opened, openDay, openPeriods, close: (): void => setOpened(undefined) };
}

interface DayDialogsProps {
  readonly dialogs: ReturnType<typeof useDayDialogs>;
  readonly scope: Scope;
  readonly computers: Computers;
}

/** Dialog with a day's story or with periods. */
export function DayDialogs({ dialogs: { opened, openDay, close }, scope, computers }: DayDialogsProps) {
  if (!opened) return null;
  return (
    <Suspense>
      {opened.kind === 'day' ? (
        <DayStory scope={scope} date={opened.date} computers={computers} onDay={openDay} onClose={close} />
      ) : (
        <Periods scope={scope} onClose={close} />
      )}
    </Suspense>
  );
}
