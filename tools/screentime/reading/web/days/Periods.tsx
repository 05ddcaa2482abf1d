import { Button, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useMemo, useState, type CSSProperties } from 'react';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/showError.ts';
import { downloadFile } from '#platform/web/browser/downloadFile.ts';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { Switch } from '#platform/web/ui/Switch.tsx';
import { exportusage, usageperiod } from '#tools/screentime/contract.ts';
import { parseIso } from '#tools/screentime/usage/domain/days.ts';
import { getToday, SCREEN_TIME, getZoneFields } from '#tools/screentime/web/usageClock.ts';
import { formatDuration, computeChange } from '../../../usage/domain/formats.ts';
import {
  getPreviousPeriod,
  comparePeriods,
  listNamedPeriods,
  findPeriodProblem,
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
  const problem = findPeriodProblem(period);
  const names = listNamedPeriods(parseIso(getToday()) ?? 0);
  const matchingName = names.find(({ from, until }) => from === period.from && until === period.until);
  return (
    <fieldset className={styles['period']}>
      <legend>{legend}</legend>
      <label>
        <span>Period</span>
        <select
          value={matchingName?.name ?? ''}
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

interface UsageTableProps {
  readonly rows: readonly ComparedRow[];
  readonly getColour: (application: string) => string;
  readonly isCompared: boolean;
}

interface CellsProps {
  readonly use: ApplicationUse | undefined;
  /** Length of the longest bar. */
  readonly maxSeconds: number;
  readonly colour: string;
}

function Cells({ use, maxSeconds, colour }: CellsProps) {
  return (
    <>
      <td data-bar>
        <span>{use ? formatDuration(use.seconds) : '–'}</span>
        <i
          style={{ '--share': maxSeconds > 0 ? (use?.seconds ?? 0) / maxSeconds : 0, '--c': colour } as CSSProperties}
        />
      </td>
      <td>{use?.opened ?? '–'}</td>
      <td>{use ? formatDuration(use.longest) : '–'}</td>
    </>
  );
}

function formatChange({ first, second }: ComparedRow): string {
  if (!second || (second.seconds <= 0 && (first?.seconds ?? 0) > 0)) return 'new';
  if (!first) return 'gone';
  const { percent } = computeChange(first.seconds, second.seconds);
  return `${percent > 0 ? '+' : ''}${percent}%`;
}

const COLUMN_HEADINGS = ['Time', 'Times opened', 'Longest session'];

/** Table of use by application, with one or two periods. */
export function UsageTable({ rows, getColour, isCompared }: UsageTableProps) {
  const maxSeconds = Math.max(0, ...rows.flatMap(({ first, second }) => [first?.seconds ?? 0, second?.seconds ?? 0]));
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
            {COLUMN_HEADINGS.map((heading) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
            {isCompared ? (
              <>
                {COLUMN_HEADINGS.map((heading) => (
                  <th key={heading} scope="col">
                    {heading}
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
                <i className="dot" style={{ background: getColour(row.name) }} />
                {row.name}
              </th>
              <td dir="auto">{row.category}</td>
              <Cells use={row.first} maxSeconds={maxSeconds} colour={getColour(row.name)} />
              {isCompared ? (
                <>
                  <Cells use={row.second} maxSeconds={maxSeconds} colour={getColour(row.name)} />
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

const DIALOG_WIDTH_PX = 1080;
const FORMATS = ['csv', 'json'] as const;
const NO_APPLICATIONS: readonly never[] = [];

function getThisWeek(): Period {
  const date = getToday();
  const week = listNamedPeriods(parseIso(date) ?? 0)[1];
  return week ? { from: week.from, until: week.until } : { from: date, until: date };
}

/** Loads a period; nothing while it is invalid. */
const usePeriodUsage = ({ deviceid, wall }: Scope, period: Period | undefined) =>
  useQuery({
    queryKey: [SCREEN_TIME, 'period', deviceid, wall, period],
    enabled: period !== undefined && findPeriodProblem(period) === undefined,
    placeholderData: keepPreviousData,
    queryFn: () =>
      call(usageperiod, { ...getZoneFields(), deviceid, wall, from: period?.from ?? '', until: period?.until ?? '' }),
  });

function ExportButtons({ scope, period }: { readonly scope: Scope; readonly period: Period }) {
  const exportFile = useMutation({
    mutationFn: (format: (typeof FORMATS)[number]) =>
      call(exportusage, { ...getZoneFields(), ...scope, ...period, format }),
    onSuccess: ({ fileName, content }) => downloadFile(fileName, content),
    onError: showError,
  });
  return FORMATS.map((format) => (
    <Button
      key={format}
      variant="subtle"
      leftSection={<IconDownload size={16} stroke={1.75} />}
      loading={exportFile.isPending && exportFile.variables === format}
      disabled={findPeriodProblem(period) !== undefined}
      onClick={() => exportFile.mutate(format)}
    >
      {format.toUpperCase()}
    </Button>
  ));
}

/** Summarizes both periods in a sentence. */
function formatSum(firstSeconds: number | undefined, secondSeconds: number | undefined): string {
  if (firstSeconds === undefined) return 'loading';
  if (secondSeconds === undefined) return `${formatDuration(firstSeconds)} in total`;
  const { percent, text } = computeChange(firstSeconds, secondSeconds);
  const change = percent === 0 ? text : `${Math.abs(percent)}% ${text}`;
  return `${formatDuration(firstSeconds)} in total, compared with ${formatDuration(secondSeconds)}: ${change}`;
}

/** Manages both periods and their usage. */
function usePeriods(scope: Scope) {
  const [first, setFirst] = useState(getThisWeek);
  const [second, setSecond] = useState<Period>();
  const firstUsage = usePeriodUsage(scope, first);
  const secondUsage = usePeriodUsage(scope, second);
  const secondData = second ? secondUsage.data : undefined;
  const rows = useMemo(
    () => comparePeriods(firstUsage.data?.applications ?? NO_APPLICATIONS, secondData?.applications ?? NO_APPLICATIONS),
    [firstUsage.data, secondData],
  );
  const text = (firstUsage.error ?? secondUsage.error)?.message ?? formatSum(firstUsage.data?.total, secondData?.total);
  return { first, setFirst, second, setSecond, rows, text, isPending: firstUsage.isPending };
}

/** Dialog with the use of any period, or two side by side. */
export function Periods({ scope, onClose }: PeriodsProps) {
  const { first, setFirst, second, setSecond, rows, text, isPending } = usePeriods(scope);
  const { getColour } = useColours(scope);
  return (
    <Dialog title="Choose period" isOpen onClose={onClose} width={DIALOG_WIDTH_PX} lockScroll={false}>
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
            <ExportButtons scope={scope} period={first} />
          </span>
        </div>
        {rows.length > 0 ? (
          <UsageTable rows={rows} getColour={getColour} isCompared={second !== undefined} />
        ) : (
          <p className={styles['empty']}>{isPending ? '' : 'No usage in this period'}</p>
        )}
      </div>
    </Dialog>
  );
}
