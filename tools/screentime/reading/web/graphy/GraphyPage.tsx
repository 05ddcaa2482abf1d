import { Button, PasswordInput, TextInput } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { accountClient } from '#platform/web/app/account.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { Switch } from '#platform/web/ui/Switch.tsx';
import { screenTimePage } from '#tools/screentime/page.ts';
import { AllCharts } from './AllCharts.tsx';
import { chartsOf, type Charts } from './charts.ts';
import { useUsage } from './useChartUsage.ts';
import styles from './GraphyPage.module.css';

/** Hours that the y axis shows at least (specification 2, section 9). */
const DEFAULT_MIN_HOURS = '10';

/** What is no height is none: the axis then ends where the lines do. */
const heightIn = (text: string): number => {
  const hours = Number(text);
  return Number.isFinite(hours) && hours > 0 ? hours : 0;
};

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

const statusOf = ({ isBusy, failure, refusal }: ReturnType<typeof useUsage>, charts: Charts | undefined): string => {
  if (isBusy) return 'Loading...';
  if (failure !== undefined) return failure;
  if (refusal !== undefined) return '';
  if (charts === undefined) return 'Enter your login';
  return `${counted(charts.labels.length, 'day')}, ${counted(charts.all.length, 'application')}`;
};

interface WithoutChartsProps {
  readonly refusal: string | undefined;
  readonly isAsked: boolean;
}

/** What stands in place of the charts. */
function WithoutCharts({ refusal, isAsked }: WithoutChartsProps) {
  const text = isAsked
    ? 'Nothing is recorded yet. It begins as soon as a computer is paired.'
    : 'After Submit the hours of every day are drawn here.';
  return <EmptyState icon={IconChartLine} text={refusal === undefined ? text : <span role="alert">{refusal}</span>} />;
}

/** The old usage graphs: hours by day of all years, in line charts (specification 2, section 2.1). */
export default function GraphyPage() {
  const [least, setLeast] = useState(DEFAULT_MIN_HOURS);
  const [isAccumulative, setIsAccumulative] = useState(false);
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const usage = useUsage();
  useEffect(() => accountClient.prepare(), []);
  const charts = useMemo(() => usage.usage && chartsOf(usage.usage, isAccumulative), [usage.usage, isAccumulative]);
  const height = useDeferredValue(heightIn(least));
  return (
    <div className={styles['page']}>
      <PageHeader title="Usage graphs" />
      <div className={styles['intro']}>
        <h2>Returning users can just click submit</h2>
        <PageLink to={screenTimePage.path}>Go to version two</PageLink>
      </div>
      <form
        className={styles['form']}
        aria-label="Log in and draw"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!usage.isBusy) usage.submit({ username, password });
        }}
      >
        <TextInput
          type="number"
          min={0}
          step="any"
          label="Minimum height of y axis"
          className={styles['least'] ?? ''}
          value={least}
          onChange={(event) => setLeast(event.currentTarget.value)}
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
        <Button type="submit" variant="primary" loading={usage.isBusy}>
          Submit
        </Button>
        <p className={`${styles['status']} num`} role="status" data-bad={usage.failure !== undefined || undefined}>
          {statusOf(usage, charts)}
        </p>
      </form>
      {charts !== undefined && charts.all.length > 0 ? (
        <AllCharts charts={charts} least={height} />
      ) : (
        <WithoutCharts refusal={usage.refusal} isAsked={charts !== undefined} />
      )}
    </div>
  );
}
