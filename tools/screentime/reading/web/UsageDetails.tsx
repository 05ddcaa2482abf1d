import { Button } from '@mantine/core';
import { IconCalendarStats } from '@tabler/icons-react';
import { useDeferredValue, useEffect, useState, type ReactNode, memo, useMemo } from 'react';
import { LineChart } from '#platform/web/charts/LineChart.tsx';
import type { ChartLine } from '#platform/web/charts/plot.ts';
import { LANES_PER_FRAME, queueRender } from '#platform/web/windowing/frameQueue.ts';
import { PaintedSliceCount, PaintSlice } from '#platform/web/windowing/PaintSlice.tsx';
import { TOTAL } from '../../contract/limits.ts';
import { Breakdown } from './Breakdown.tsx';
import { HeatMap } from './days/HeatMap.tsx';
import { useNearPlace, type Scroller } from './useShown.ts';
import type { LoadedApplication } from './useUsage.ts';
import type { Scope, DensityProps } from './viewTypes.ts';

/** Min top of the axis, in percent. */
const MIN_TOP_PERCENT = 10;
const HEIGHT = 220;

const formatWidth = (value: number): string => `${value}%`;
const formatPercent = (value: number): string => `${Math.round(value)}%`;

/**
 * On how many of the past 14 days an application was focused in each hour (docs/specification/screentime.md section
 * 1.6).
 */
export const Density = memo(function Density({ applications }: DensityProps) {
  const counted = useMemo(() => applications.filter(({ stats }) => stats.densityinfo.enabled), [applications]);
  const lines = useMemo(
    () => counted.map(({ name, colour, stats }): ChartLine => ({ name, colour, values: stats.densityinfo.density })),
    [counted],
  );
  const hours = counted[0]?.stats.densityinfo.divisionnames;
  if (hours === undefined) return null;
  return (
    <LineChart
      title="App usage through day (past 14 days)"
      per="Hour"
      ticks={hours}
      labels={hours}
      lines={lines}
      minTop={MIN_TOP_PERCENT}
      formatTick={formatWidth}
      formatValue={formatPercent}
      height={HEIGHT}
      atRest
    />
  );
});

/** Distance from the viewport within which parts are painted. */
const PAINT_MARGIN = '2000px';
/** Steps per part: its first content, and two more. */
const STEPS_PER_PART = 3;

interface DetailSectionProps {
  readonly scroller: Scroller;
  readonly children: ReactNode;
}

/**
 * A part that renders in its own step when it comes near. Bars, a chart and a year in one render would block scrolling,
 * and a low-priority render would restart with each update.
 */
function Part({ scroller, children }: DetailSectionProps) {
  const [isNear, setNear] = useState(false);
  const [painted, setPainted] = useState<number>();
  const place = useNearPlace<HTMLDivElement>(PAINT_MARGIN, scroller, setNear);
  useEffect(() => {
    const target = isNear ? STEPS_PER_PART : 0;
    if (painted === target) return undefined;
    const next = painted === undefined || !isNear ? 0 : painted + 1;
    const urgency = isNear || painted === undefined ? 'shown' : 'gone';
    return queueRender(() => setPainted(next), { urgency, lanes: LANES_PER_FRAME });
  }, [isNear, painted]);
  return (
    <div ref={place}>
      {painted === undefined ? null : (
        <PaintedSliceCount value={painted}>
          <PaintSlice position={1}>{children}</PaintSlice>
        </PaintedSliceCount>
      )}
    </div>
  );
}

export interface UsageDetailsProps {
  readonly applications: readonly LoadedApplication[];
  readonly scope: Scope;
  readonly total: LoadedApplication | undefined;
  readonly scroller: Scroller;
  readonly openDay: (date: string) => void;
  readonly openPeriods: () => void;
}

/** Bars, a chart and the year. */
export function BelowParts({ applications, scope, total, scroller, openDay, openPeriods }: UsageDetailsProps) {
  const [name, setName] = useState(TOTAL);
  // The chart is expensive, so it renders after the bars.
  const later = useDeferredValue(applications);
  const selected = applications.find((each) => each.name === name) ?? total;
  return (
    <>
      <Part scroller={scroller}>
        <Breakdown applications={applications} selected={selected} onSelect={setName} />
      </Part>
      <Part scroller={scroller}>
        <Density applications={later} />
      </Part>
      <Part scroller={scroller}>
        <HeatMap scope={scope} application={selected?.name ?? TOTAL} onDay={openDay} />
      </Part>
      <p>
        <Button leftSection={<IconCalendarStats size={16} stroke={1.75} />} onClick={openPeriods}>
          Choose period
        </Button>
      </p>
    </>
  );
}
