import { useState } from 'react';
import type { ChartLine } from './plot.ts';
import styles from './LineChart.module.css';

/** Rows of a year are drawn on request only. */
const MAX_ROWS = 62;
/** Columns of hundreds of lines, too. */
const MAX_COLUMNS = 60;

interface ValuesTableProps {
  readonly title: string;
  readonly per: string;
  readonly labels: readonly string[];
  readonly lines: readonly ChartLine[];
  readonly formatValue: (value: number) => string;
}

/** The numbers of a chart, the last rows first to be seen. */
export function ValuesTable({ title, per, labels, lines, formatValue }: ValuesTableProps) {
  const [shown, setShown] = useState(MAX_ROWS);
  const [columns, setColumns] = useState(MAX_COLUMNS);
  const drawn = lines.slice(0, columns);
  const first = Math.max(0, labels.length - shown);
  return (
    <>
      {first > 0 ? (
        <button type="button" className={styles['all']} onClick={() => setShown(shown * 4)}>
          Show earlier rows, {first} more
        </button>
      ) : null}
      {drawn.length < lines.length ? (
        <button type="button" className={styles['all']} onClick={() => setColumns(columns * 4)}>
          Show more columns, {lines.length - drawn.length} more
        </button>
      ) : null}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
      <div className={styles['scroll']} role="region" aria-label={`Table of ${title}`} tabIndex={0}>
        <table className={`${styles['table']} num`}>
          <thead>
            <tr>
              <th scope="col">{per}</th>
              {drawn.map(({ name }) => (
                <th key={name} scope="col" dir="auto">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.slice(first).map((label, index) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {drawn.map(({ name, values }) => (
                  <td key={name}>{formatValue(values[first + index] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
