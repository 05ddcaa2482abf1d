import { Button, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useMemo, useState, type CSSProperties } from 'react';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { downloadFile } from '#platform/web/browser/saveFile.ts';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { Switch } from '#platform/web/ui/Switch.tsx';
import { exportusage, usageperiod } from '#tools/screentime/contract.ts';
import { parseIso } from '#tools/screentime/usage/domain/days.ts';
import { today, SCREEN_TIME, place } from '#tools/screentime/web/usageClock.ts';
import { prettyTime, computeChange } from '../../../usage/domain/formats.ts';
import {
  getPreviousPeriod,
  compareUse,
  namedPeriods,
  findProblem,
  type Period,
  type ComparedRow,
  type ApplicationUse,
} from '../../domain/period.ts';
import type { PeriodsProps, Scope } from '../viewTypes.ts';
import { useColours } from './DayDialogs.tsx';
import styles from './Periods.module.css';

interface PeriodFieldsProps {
  readonly legend: string;
  readonly period: Period;
  readonly onChange: (period: Period) => void;
}

/** Fields for a period, by two dates or by name. */
export function PeriodFields({ legend, period, onChange }: PeriodFieldsProps) {
  const problem = findProblem(period);
  const names = namedPeriods(parseIso(today()) ?? 0);
  const named = names.find(({ from, until }) => from === period.from && until === period.until);
  return (
    <fieldset className={styles['period']}>
      <legend>{legend}</legend>
      <label>
        <span>Period</span>
        <select
          value={named?.name ?? ''}
          onChange={(event) => {
            const match = names.find(({ name }) => name === event.currentTarget.value);
            if (match) onChange({ from: match.from, until: match.until });
          }}
        >
          <option value="">Custom</option>
          {names.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <TextInput
        type="date"
        label="From"
        value={period.from}
        onChange={(event) => onChange({ ...period, from: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label="Until"
        value={period.until}
        error={problem}
        onChange={(event) => onChange({ ...period, until: event.currentTarget.value })}
      />
    </fieldset>
  );
}

interface UsedTableProps {
  readonly rows: readonly ComparedRow[];
  readonly getColour: (application: string) => string;
  readonly isCompared: boolean;
}

interface CellsProps {
  readonly used: ApplicationUse | undefined;
  /** Length of the longest bar. */
  readonly most: number;
  readonly colour: string;
}

function Cells({ used, most: max, colour }: CellsProps) {
  return (
    <>
      <td data-bar>
        <span>{used ? prettyTime(used.seconds) : '–'}</span>
        <i style={{ '--share': max > 0 ? (used?.seconds ?? 0) / max : 0, '--c': colour } as CSSProperties} />
      </td>
      <td>{used?.opened ?? '–'}</td>
      <td>{used ? prettyTime(used.longest) : '–'}</td>
    </>
  );
}

const formatChange = ({ one, other }: ComparedRow): string => {
  if (!other || (other.seconds <= 0 && (one?.seconds ?? 0) > 0)) return 'new';
  if (!one) return 'gone';
  const { percent } = computeChange(one.seconds, other.seconds);
  return `${percent > 0 ? '+' : ''}${percent}%`;
};

const HEADS = ['Time', 'Times opened', 'Longest session'];

/** Table of use by application, with one or two periods. */
export function UsedTable({ rows, getColour, isCompared }: UsedTableProps) {
  const max = Math.max(0, ...rows.flatMap(({ one, other }) => [one?.seconds ?? 0, other?.seconds ?? 0]));
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users can scroll it
    <div className={styles['scroll']} role="region" aria-label="Use by application" tabIndex={0}>
      <table className={`${styles['table']} num`}>
        <thead>
          {isCompared ? (
            <tr>
              <th scope="colgroup" colSpan={2}>
                <span className="unseen">Application</span>
              </th>
              <th scope="colgroup" colSpan={3}>
                First period
              </th>
              <th scope="colgroup" colSpan={3}>
                Second period
              </th>
              <th scope="col">
                <span className="unseen">Change</span>
              </th>
            </tr>
          ) : null}
          <tr>
            <th scope="col">Application</th>
            <th scope="col">Category</th>
            {HEADS.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
            {isCompared ? (
              <>
                {HEADS.map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
                <th scope="col">Change</th>
              </>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row" dir="auto" title={row.name}>
                <i style={{ background: getColour(row.name) }} />
                {row.name}
              </th>
              <td dir="auto">{row.category}</td>
              <Cells used={row.one} most={max} colour={getColour(row.name)} />
              {isCompared ? (
                <>
                  <Cells used={row.other} most={max} colour={getColour(row.name)} />
                  <td>{formatChange(row)}</td>
                </>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const WIDTH = 1080;
const FORMATS = ['csv', 'json'] as const;
const NONE: readonly never[] = [];

const thisWeek = (): Period => {
  const date = today();
  const week = namedPeriods(parseIso(date) ?? 0)[1];
  return week ? { from: week.from, until: week.until } : { from: date, until: date };
};

/** Loads a period; nothing while it is invalid. */
const usePeriod = ({ deviceid, wall }: Scope, period: Period | undefined) =>
  useQuery({
    queryKey: [SCREEN_TIME, 'period', deviceid, wall, period],
    enabled: period !== undefined && findProblem(period) === undefined,
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
      disabled={findProblem(period) !== undefined}
      onClick={() => save.mutate(format)}
    >
      {format.toUpperCase()}
    </Button>
  ));
}

/** Summarizes both periods in a sentence. */
const formatSum = (one: number | undefined, other: number | undefined): string => {
  if (one === undefined) return 'loading';
  if (other === undefined) return `${prettyTime(one)} in total`;
  const { percent, text } = computeChange(one, other);
  const change = percent === 0 ? text : `${Math.abs(percent)}% ${text}`;
  return `${prettyTime(one)} in total, compared with ${prettyTime(other)}: ${change}`;
};

/** Manages both periods and their usage. */
const usePeriods = (scope: Scope) => {
  const [first, setFirst] = useState(thisWeek);
  const [second, setSecond] = useState<Period>();
  const one = usePeriod(scope, first);
  const other = usePeriod(scope, second);
  const theirs = second ? other.data : undefined;
  const rows = useMemo(
    () => compareUse(one.data?.applications ?? NONE, theirs?.applications ?? NONE),
    [one.data, theirs],
  );
  const text = (one.error ?? other.error)?.message ?? formatSum(one.data?.total, theirs?.total);
  return { first, setFirst, second, setSecond, rows, text, isPending: one.isPending };
};

/** Dialog with the use of any period, or two side by side. */
export function Periods({ scope, onClose }: PeriodsProps) {
  const { first, setFirst, second, setSecond, rows, text, isPending } = usePeriods(scope);
  const { getColour } = useColours(scope);
  return (
    <Dialog title="Choose period" isOpen onClose={onClose} width={WIDTH} lockScroll={false}>
      <div className={styles['periods']}>
        <div className={styles['choice']}>
          <PeriodFields legend={second ? 'First period' : 'Period'} period={first} onChange={setFirst} />
          {second ? <PeriodFields legend="Second period" period={second} onChange={setSecond} /> : null}
        </div>
        <div className={styles['bar']}>
          <Switch
            label="Compare with another period"
            isOn={second !== undefined}
            onChange={(isOn) => setSecond(isOn ? getPreviousPeriod(first) : undefined)}
          />
          <p className="num" role="status">
            {text}
          </p>
          <span>
            <Export scope={scope} period={first} />
          </span>
        </div>
        {rows.length > 0 ? (
          <UsedTable rows={rows} getColour={getColour} isCompared={second !== undefined} />
        ) : (
          <p className={styles['empty']}>{isPending ? '' : 'No usage in this period'}</p>
        )}
      </div>
    </Dialog>
  );
}
