import { memo, useMemo } from 'react';
import { LineChart } from '#platform/web/charts/LineChart.tsx';
import type { ChartLine } from '#platform/web/charts/plot.ts';
import type { DensityProps } from './viewTypes.ts';

/** Percent that the axis shows at least. */
const MIN_TOP_PERCENT = 10;
const HEIGHT = 220;

const percent = (value: number): string => `${value}%`;
const rounded = (value: number): string => `${Math.round(value)}%`;

/** On how many of the past 14 days an application was in focus in each hour (specification 2, section 2.2). */
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
      least={MIN_TOP_PERCENT}
      formatTick={percent}
      formatValue={rounded}
      height={HEIGHT}
      atRest
    />
  );
});
