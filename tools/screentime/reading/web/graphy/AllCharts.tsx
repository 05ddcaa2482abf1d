import { memo, useMemo, useRef, type ReactNode } from 'react';
import { LineChart } from '#platform/web/charts/LineChart.tsx';
import type { ChartLine } from '#platform/web/charts/plot.ts';
import { useWidthNearViewport } from '#platform/web/windowing/useNearViewport.ts';
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
      <LineChart {...rest} per="Day" formatTick={axisText} formatValue={hoursText} height={height} />
    </div>
  );
});

function OneChart({ line, ...rest }: Omit<ChartProps, 'title' | 'lines'> & { readonly line: ChartLine }) {
  const lines = useMemo(() => [line], [line]);
  return <Chart {...rest} title={`${line.name} Usage Time (Hours)`} lines={lines} legend={false} />;
}

/** Charts that are made together as they come near. */
const GROUP = 8;
/** Groups that are made at once: with so few applications everything is there to be found and jumped to. */
const FIRST_GROUPS = 3;
/** About what one takes with its heading, in px; on a phone they stand one below the other. */
const CHART_HEIGHT = SMALL + 74;

/** Charts side by side. Those of a later group are made when it comes near: of thousands of applications few are ever looked at. */
function Group({
  count,
  isFirst,
  children,
}: {
  readonly count: number;
  readonly isFirst: boolean;
  readonly children: () => ReactNode;
}) {
  const host = useRef<HTMLDivElement>(null);
  const isNear = useWidthNearViewport(host) !== undefined || isFirst;
  return (
    <div
      ref={host}
      className={styles['two']}
      data-waiting={!isNear || undefined}
      style={isNear ? {} : { minHeight: Math.ceil(count / 2) * CHART_HEIGHT }}
    >
      {isNear ? children() : null}
    </div>
  );
}

interface GroupedProps<Item> {
  readonly items: readonly Item[];
  readonly children: (item: Item) => ReactNode;
}

function Grouped<Item>({ items, children }: GroupedProps<Item>) {
  const groups = useMemo(
    () => Array.from({ length: Math.ceil(items.length / GROUP) }, (_, at) => items.slice(at * GROUP, (at + 1) * GROUP)),
    [items],
  );
  return groups.map((group, at) => (
    // oxlint-disable-next-line react/no-array-index-key -- groups are places
    <Group key={at} count={group.length} isFirst={at < FIRST_GROUPS}>
      {() => group.map(children)}
    </Group>
  ));
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
      <Grouped items={types}>{({ name, lines }) => <Chart key={name} {...same} title={name} lines={lines} />}</Grouped>
      <Grouped items={all}>{(line) => <OneChart key={line.name} {...same} line={line} />}</Grouped>
    </>
  );
}
