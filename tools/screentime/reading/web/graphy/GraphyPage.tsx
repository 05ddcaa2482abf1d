import { Button, PasswordInput, TextInput } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import { useDeferredValue, useEffect, useMemo, useState, memo, useRef, type ReactNode } from 'react';
import { accountClient } from '#platform/web/app/accountClient.ts';
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { LineChart } from '#platform/web/charts/LineChart.tsx';
import type { ChartLine } from '#platform/web/charts/plot.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import { Switch } from '#platform/web/ui/Switch.tsx';
import { useWidthNearViewport } from '#platform/web/windowing/nearViewport.ts';
import { loginPage } from '#tools/accounts/page.ts';
import { graphsPage, screenTimePage } from '#tools/screentime/page.ts';
import { createCharts, type Charts, useChartUsage, formatAxisHours, formatChartHours } from './useChartUsage.ts';
import styles from './GraphyPage.module.css';

const TALL_CHART_PX = 300;
const SMALL_CHART_PX = 170;

interface ChartProps extends Pick<Charts, 'ticks' | 'labels'> {
  readonly title: string;
  readonly lines: readonly ChartLine[];
  readonly minTop: number;
  readonly height?: number;
  readonly hasLegend?: boolean;
}

const Chart = memo(function Chart({ height = SMALL_CHART_PX, ...rest }: ChartProps) {
  return (
    <div className={styles['card']}>
      <LineChart {...rest} tickName="Day" formatTick={formatAxisHours} formatValue={formatChartHours} height={height} />
    </div>
  );
});

function ApplicationChart({ line, ...rest }: Omit<ChartProps, 'title' | 'lines'> & { readonly line: ChartLine }) {
  const lines = useMemo(() => [line], [line]);
  return <Chart {...rest} title={`${line.name} Usage Time (Hours)`} lines={lines} hasLegend={false} />;
}

/** Charts that are created together when they come near. */
const GROUP_SIZE = 8;
/** Groups created immediately. With so few applications, all charts can be found and linked. */
const INITIAL_GROUPS = 3;
/** Approximate height of a chart with its heading, in px, if they are stacked as on a phone. */
const CARD_HEIGHT_PX = SMALL_CHART_PX + 74;

/** Charts in a grid. Later groups are created when they come near, as few of thousands are ever viewed. */
function ChartGroup({
  count,
  isFirst,
  children,
}: {
  readonly count: number;
  readonly isFirst: boolean;
  readonly children: () => ReactNode;
}) {
  const groupRef = useRef<HTMLDivElement>(null);
  const isNear = useWidthNearViewport(groupRef) !== undefined || isFirst;
  return (
    <div
      ref={groupRef}
      className={styles['two']}
      data-waiting={!isNear || undefined}
      style={isNear ? {} : { minHeight: Math.ceil(count / 2) * CARD_HEIGHT_PX }}
    >
      {isNear ? children() : null}
    </div>
  );
}

interface ChartGroupsProps<Item> {
  readonly items: readonly Item[];
  readonly children: (item: Item) => ReactNode;
}

function ChartGroups<Item>({ items, children }: ChartGroupsProps<Item>) {
  const groups = useMemo(
    () =>
      Array.from({ length: Math.ceil(items.length / GROUP_SIZE) }, (_, index) =>
        items.slice(index * GROUP_SIZE, (index + 1) * GROUP_SIZE),
      ),
    [items],
  );
  return groups.map((group, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- groups are identified by position
    <ChartGroup key={index} count={group.length} isFirst={index < INITIAL_GROUPS}>
      {() => group.map(children)}
    </ChartGroup>
  ));
}

interface AllChartsProps {
  readonly charts: Charts;
  /** Min top of every y axis. */
  readonly minHours: number;
}

/** One chart with all applications, then one per type, then one per application. */
export function AllCharts({ charts: { ticks, labels, all, types }, minHours }: AllChartsProps) {
  const sharedProps = { ticks, labels, minTop: minHours };
  return (
    <>
      <Chart
        {...sharedProps}
        title="All Applications (click on the boxes next to names to hide)"
        lines={all}
        height={TALL_CHART_PX}
      />
      <ChartGroups items={types}>
        {({ name, lines }) => <Chart key={name} {...sharedProps} title={name} lines={lines} />}
      </ChartGroups>
      <ChartGroups items={all}>
        {(line) => <ApplicationChart key={line.name} {...sharedProps} line={line} />}
      </ChartGroups>
    </>
  );
}

/** Min hours of the y axis (docs/specification/screentime.md section 6). */
const DEFAULT_MIN_HOURS = '10';

/** Parses a height; 0 if it is invalid, so that the axis ends with the lines. */
function parseMinHours(text: string): number {
  const hours = Number(text);
  return Number.isFinite(hours) && hours > 0 ? hours : 0;
}

const formatCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const SECOND_FACTOR_MESSAGE =
  'This account has a second factor. Log in on the login page, then submit here without username and password';

function getStatus(
  { isBusy, failure, needsLoginPage, refusal }: ReturnType<typeof useChartUsage>,
  charts: Charts | undefined,
): string {
  if (isBusy) return 'Loading...';
  if (needsLoginPage) return SECOND_FACTOR_MESSAGE;
  if (failure !== undefined) return failure;
  if (refusal !== undefined) return '';
  if (charts === undefined) return 'Enter your login';
  return `${formatCount(charts.labels.length, 'day')}, ${formatCount(charts.all.length, 'application')}`;
}

/** Opens the login page, which returns to this page. */
function LoginPageButton() {
  const navigateTo = useNavigateTo();
  return <Button onClick={() => navigateTo(loginPage.path, { from: graphsPage.path })}>Open the login page</Button>;
}

interface ChartsPlaceholderProps {
  readonly refusal: string | undefined;
  readonly isLoaded: boolean;
}

/** Shown in place of the charts. */
function ChartsPlaceholder({ refusal, isLoaded }: ChartsPlaceholderProps) {
  const text = isLoaded
    ? 'No usage recorded yet. Pair a computer and usage appears within a minute'
    : 'Charts of your daily hours appear here after you submit';
  return <EmptyState icon={IconChartLine} text={refusal === undefined ? text : <span role="alert">{refusal}</span>} />;
}

/** The old usage graphs: line charts of hours by day, of all years (docs/specification/screentime.md section 1.1). */
export default function GraphyPage() {
  const [minText, setMinText] = useState(DEFAULT_MIN_HOURS);
  const [isAccumulative, setIsAccumulative] = useState(false);
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const usageState = useChartUsage();
  useEffect(() => accountClient.prepare(), []);
  const charts = useMemo(
    () => usageState.usage && createCharts(usageState.usage, isAccumulative),
    [usageState.usage, isAccumulative],
  );
  const minHours = useDeferredValue(parseMinHours(minText));
  return (
    <div className={styles['page']}>
      <PageHeader title="Usage graphs" />
      <div className={styles['intro']}>
        <h2>Returning users can just click submit</h2>
        <PageLink to={screenTimePage.path}>Go to version two</PageLink>
      </div>
      <Form
        className={styles['form']}
        aria-label="Log in and show charts"
        noValidate
        isBusy={usageState.isBusy}
        onSubmit={() => usageState.submit({ username, password })}
      >
        <TextInput
          type="number"
          min={0}
          step="any"
          label="Minimum height of y axis"
          className={styles['minHours'] ?? ''}
          value={minText}
          onChange={(event) => setMinText(event.currentTarget.value)}
        />
        <TextInput
          label="Username"
          name="username"
          autoComplete="username"
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Switch label="Accumulative totals" isOn={isAccumulative} onChange={setIsAccumulative} />
        <Button type="submit" variant="primary" loading={usageState.isBusy}>
          Submit
        </Button>
        <p className={`${styles['status']} num`} role="status" data-bad={usageState.failure !== undefined || undefined}>
          {getStatus(usageState, charts)}
        </p>
        {usageState.needsLoginPage ? <LoginPageButton /> : null}
      </Form>
      {charts !== undefined && charts.all.length > 0 ? (
        <AllCharts charts={charts} minHours={minHours} />
      ) : (
        <ChartsPlaceholder refusal={usageState.refusal} isLoaded={charts !== undefined} />
      )}
    </div>
  );
}
