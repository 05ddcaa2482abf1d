import { useMemo, type RefObject } from 'react';
import type { LoadedApplication } from './loaded.ts';
import type { Applications } from './picker/applicationList.ts';
import { Timeline } from './timeline/Timeline.tsx';
import { rowsOf } from './timeline/timelineRows.ts';
import { Missing, NothingYet } from './UsageStates.tsx';
import { useToday } from './useNow.ts';
import { useDays, type MoreDays } from './useShown.ts';
import { useEarlier, type FailedApplication } from './useUsage.ts';
import type { Options } from './useViewOptions.ts';
import type { Scope } from './viewTypes.ts';
import styles from './ScreenTimePage.module.css';

interface DaysProps {
  readonly applications: Applications;
  readonly scope: Scope;
  readonly shown: readonly LoadedApplication[];
  /** What could not be had, though it is on. */
  readonly lost: readonly FailedApplication[];
  readonly more: MoreDays;
  readonly options: Options;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly onDay: (date: string) => void;
}

/** The days with what was used on them. */
export function Days({ applications, scope, shown, lost, more, options, scroller, onDay }: DaysProps) {
  const today = useToday();
  const { dates, stretches, hasMore } = useDays(applications, more);
  const names = useMemo(() => shown.map(({ name }) => name), [shown]);
  const { earlier, lost: lostEarlier } = useEarlier(scope, names, stretches);
  const { hideUnused, compact } = options;
  const { weekdays, weekdaycolours: colours } = applications.order;
  const rows = useMemo(
    () => rowsOf({ dates, weekdays, colours, loaded: shown, earlier, hideUnused }),
    [dates, weekdays, colours, shown, earlier, hideUnused],
  );
  if (applications.flat.length === 0) return <NothingYet />;
  return (
    <>
      <Timeline rows={rows} today={today} compact={compact} scroller={scroller} onDay={onDay} />
      {shown.length + lost.length === 0 ? (
        <p className={styles['hint']}>No app is on. Choose some from the picker.</p>
      ) : null}
      {hasMore ? (
        <button type="button" className={styles['more']} onClick={more.show}>
          Show earlier days
        </button>
      ) : null}
      <Missing lost={[...lost, ...lostEarlier]} />
    </>
  );
}
