import { Button } from '@mantine/core';
import { IconCalendarStats } from '@tabler/icons-react';
import { useDeferredValue, useEffect, useState, type ReactNode, memo, useMemo } from 'react';
import { LineChart } from '#platform/web/charts/LineChart.tsx';
import type { ChartLine } from '#platform/web/charts/plot.ts';
import { MAX_COST_PER_FRAME, queueRender } from '#platform/web/windowing/frameQueue.ts';
import { PaintedSliceCount, PaintSlice } from '#platform/web/windowing/PaintSlice.tsx';
import { TOTAL } from '../../contract/limits.ts';
import { Breakdown } from './Breakdown.tsx';
import { HeatMap } from './days/HeatMap.tsx';
import { useNearElement, type Scroller } from './useSelectedApplications.ts';
import type { LoadedApplication } from './useUsage.ts';
import type { Scope, DensityProps } from './viewTypes.ts';

/** Min top of the axis, in percent. */
const MIN_TOP_PERCENT = 10;
const CHART_HEIGHT_PX = 220;

const formatTick = (value: number): string => `${value}%`;
const formatPercent = (value: number): string => `${Math.round(value)}%`;

/**
 * On how many of the past 14 days an application was focused in each hour (docs/specification/screentime.md section
 * 1.6).
 */
export const Density = memo(function Density({ applications }: DensityProps) {
  const densityApplications = useMemo(
    () => applications.filter(({ stats }) => stats.densityinfo.enabled),
    [applications],
  );
  const lines = useMemo(
    () =>
      densityApplications.map(({ name, colour, stats }): ChartLine => ({
        name,
        colour,
        values: stats.densityinfo.density,
      })),
    [densityApplications],
  );
  const hours = densityApplications[0]?.stats.densityinfo.divisionnames;
  if (hours === undefined) return null;
  return (
    <LineChart
      title="App usage through day (past 14 days)"
      tickName="Hour"
      ticks={hours}
      labels={hours}
      lines={lines}
      minTop={MIN_TOP_PERCENT}
      formatTick={formatTick}
      formatValue={formatPercent}
      height={CHART_HEIGHT_PX}
      rendersWhenIdle
    />
  );
});

/** Distance from the viewport within which parts are painted. */
const PAINT_MARGIN = '2000px';
/** Steps per part: its first content, and two more. */
const STEPS_PER_SECTION = 3;

/**
 * A section that renders in its own step when it comes near. Bars, a chart and a year in one render would block
 * scrolling, and a low-priority render would restart with each update.
 */
function DetailSection({ scroller, children }: { readonly scroller: Scroller; readonly children: ReactNode }) {
  const [isNear, setNear] = useState(false);
  const [paintedCount, setPaintedCount] = useState<number>();
  const sectionRef = useNearElement<HTMLDivElement>(PAINT_MARGIN, scroller, setNear);
  useEffect(() => {
    const targetCount = isNear ? STEPS_PER_SECTION : 0;
    if (paintedCount === targetCount) return undefined;
    const nextCount = paintedCount === undefined || !isNear ? 0 : paintedCount + 1;
    const urgency = isNear || paintedCount === undefined ? 'visible' : 'offscreen';
    return queueRender(() => setPaintedCount(nextCount), { urgency, cost: MAX_COST_PER_FRAME });
  }, [isNear, paintedCount]);
  return (
    <div ref={sectionRef}>
      {paintedCount === undefined ? null : (
        <PaintedSliceCount value={paintedCount}>
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

/** Bars, a chart and the calendar of a year. */
export function UsageDetails({ applications, scope, total, scroller, openDay, openPeriods }: UsageDetailsProps) {
  const [name, setName] = useState(TOTAL);
  // The chart is expensive, so it renders after the bars.
  const deferredApplications = useDeferredValue(applications);
  const selected = applications.find((application) => application.name === name) ?? total;
  return (
    <>
      <DetailSection scroller={scroller}>
        <Breakdown applications={applications} selected={selected} onSelect={setName} />
      </DetailSection>
      <DetailSection scroller={scroller}>
        <Density applications={deferredApplications} />
      </DetailSection>
      <DetailSection scroller={scroller}>
        <HeatMap scope={scope} application={selected?.name ?? TOTAL} onDay={openDay} />
      </DetailSection>
      <p>
        <Button leftSection={<IconCalendarStats size={16} stroke={1.75} />} onClick={openPeriods}>
          Choose period
        </Button>
      </p>
    </>
  );
}
