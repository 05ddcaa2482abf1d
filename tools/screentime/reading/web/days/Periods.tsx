import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { downloadFile } from '#platform/web/browser/saveFile.ts';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { Switch } from '#platform/web/ui/Switch.tsx';
import { exportusage, usageperiod } from '#tools/screentime/contract.ts';
import { parseIso } from '#tools/screentime/usage/domain/date.ts';
import { SCREEN_TIME } from '#tools/screentime/web/keys.ts';
import { today } from '#tools/screentime/web/today.ts';
import { place } from '#tools/screentime/web/usageClock.ts';
import { prettyTime } from '../../domain/formats.ts';
import { changeOf } from '../../domain/percent.ts';
import { before, compared, namedPeriods, problemOf, type Period } from '../../domain/period.ts';
import type { PeriodsProps, Scope } from '../viewTypes.ts';
import { PeriodFields } from './PeriodFields.tsx';
import { useColours } from './useColours.ts';
import { UsedTable } from './UsedTable.tsx';
import styles from './periods.module.css';

const WIDTH = 1080;
const FORMATS = ['csv', 'json'] as const;
const NONE: readonly never[] = [];

const thisWeek = (): Period => {
  const date = today();
  const week = namedPeriods(parseIso(date) ?? 0)[1];
  return week ? { from: week.from, until: week.until } : { from: date, until: date };
};

/** Not asked for while it is none. */
const usePeriod = ({ deviceid, wall }: Scope, period: Period | undefined) =>
  useQuery({
    queryKey: [SCREEN_TIME, 'period', deviceid, wall, period],
    enabled: period !== undefined && problemOf(period) === undefined,
    placeholderData: keepPreviousData,
    queryFn: () =>
      call(usageperiod, { ...place(), deviceid, wall, from: period?.from ?? '', until: period?.until ?? '' }),
  });

function Export({ scope, period }: { readonly scope: Scope; readonly period: Period }) {
  const save = useMutation({
    mutationFn: (format: (typeof FORMATS)[number]) => call(exportusage, { ...place(), ...scope, ...period, format }),
    onSuccess: ({ fileName, content }) => downloadFile(fileName, content),
    onError: showError,
  });
  return FORMATS.map((format) => (
    <Button
      key={format}
      variant="subtle"
      leftSection={<IconDownload size={16} stroke={1.75} />}
      loading={save.isPending && save.variables === format}
      disabled={problemOf(period) !== undefined}
      onClick={() => save.mutate(format)}
    >
      {format.toUpperCase()}
    </Button>
  ));
}

/** Both sums in a sentence. */
const sumText = (one: number | undefined, other: number | undefined): string => {
  if (one === undefined) return 'loading';
  if (other === undefined) return `${prettyTime(one)} in all`;
  const { percent, text } = changeOf(one, other);
  const change = percent === 0 ? text : `${Math.abs(percent)}% ${text}`;
  return `${prettyTime(one)} in all against ${prettyTime(other)}: ${change}`;
};

/** Both periods, and what was used in them. */
const usePeriods = (scope: Scope) => {
  const [first, setFirst] = useState(thisWeek);
  const [second, setSecond] = useState<Period>();
  const one = usePeriod(scope, first);
  const other = usePeriod(scope, second);
  const theirs = second ? other.data : undefined;
  const rows = useMemo(
    () => compared(one.data?.applications ?? NONE, theirs?.applications ?? NONE),
    [one.data, theirs],
  );
  const text = (one.error ?? other.error)?.message ?? sumText(one.data?.total, theirs?.total);
  return { first, setFirst, second, setSecond, rows, text, isPending: one.isPending };
};

/** Any period by application; two of them side by side. */
export function Periods({ scope, onClose }: PeriodsProps) {
  const { first, setFirst, second, setSecond, rows, text, isPending } = usePeriods(scope);
  const { colourOf } = useColours(scope);
  return (
    <Dialog title="Any period" isOpen onClose={onClose} width={WIDTH} lockScroll={false}>
      <div className={styles['periods']}>
        <div className={styles['choice']}>
          <PeriodFields legend={second ? 'First period' : 'Period'} period={first} onChange={setFirst} />
          {second ? <PeriodFields legend="Second period" period={second} onChange={setSecond} /> : null}
        </div>
        <div className={styles['bar']}>
          <Switch
            label="Compare with another"
            isOn={second !== undefined}
            onChange={(isOn) => setSecond(isOn ? before(first) : undefined)}
          />
          <p className="num" role="status">
            {text}
          </p>
          <span>
            <Export scope={scope} period={first} />
          </span>
        </div>
        {rows.length > 0 ? (
          <UsedTable rows={rows} colourOf={colourOf} isCompared={second !== undefined} />
        ) : (
          <p className={styles['none']}>{isPending ? '' : 'Nothing was used then.'}</p>
        )}
      </div>
    </Dialog>
  );
}
