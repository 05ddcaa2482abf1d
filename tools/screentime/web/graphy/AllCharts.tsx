import { memo, useMemo } from 'react';
import { Line } from '#platform/web/charts/Line.tsx';
import type { ChartLine } from '#platform/web/charts/plot.ts';
import { axisText, hoursText, type Charts } from './charts.ts';
import styles from './GraphyPage.module.css';

const TALL = 300;
const SMALL = 170;

interface ChartProps extends Pick<Charts, 'ticks' | 'labels'> {
  readonly title: string;
  readonly lines: readonly ChartLine[];
  readonly least: number;
  readonly height?: number;
  readonly legend?: boolean;
}

const Chart = memo(function Chart({ height = SMALL, ...rest }: ChartProps) {
  return (
    <div className={styles['card']}>
      <Line {...rest} per="Day" inAxis={axisText} written={hoursText} height={height} />
    </div>
  );
});

function OneChart({ line, ...rest }: Omit<ChartProps, 'title' | 'lines'> & { readonly line: ChartLine }) {
  const lines = useMemo(() => [line], [line]);
  return <Chart {...rest} title={`${line.name} Usage Time (Hours)`} lines={lines} legend={false} />;
}

interface AllChartsProps {
  readonly charts: Charts;
  /** Every y axis reaches this at least. */
  readonly least: number;
}

/** All applications in one chart, then those of each type, then each by itself. */
export function AllCharts({ charts: { ticks, labels, all, types }, least }: AllChartsProps) {
  const same = { ticks, labels, least };
  return (
    <>
      <Chart {...same} title="All Applications (click on the boxes next to names to hide)" lines={all} height={TALL} />
      <div className={styles['two']}>
        {types.map(({ name, lines }) => (
          <Chart key={name} {...same} title={name} lines={lines} />
        ))}
      </div>
      <div className={styles['two']}>
        {all.map((line) => (
          <OneChart key={line.name} {...same} line={line} />
        ))}
      </div>
    </>
  );
}
