import type { CSSProperties } from 'react';
import { prettyTime } from '../../domain/formats.ts';
import { changeOf } from '../../domain/percent.ts';
import type { ComparedRow, ApplicationUse } from '../../domain/period.ts';
import styles from './periods.module.css';

interface UsedTableProps {
  readonly rows: readonly ComparedRow[];
  readonly colourOf: (application: string) => string;
  readonly isCompared: boolean;
}

interface CellsProps {
  readonly used: ApplicationUse | undefined;
  /** Of the longest bar. */
  readonly most: number;
  readonly colour: string;
}

function Cells({ used, most, colour }: CellsProps) {
  return (
    <>
      <td data-bar>
        <span>{used ? prettyTime(used.seconds) : '–'}</span>
        <i style={{ '--share': most > 0 ? (used?.seconds ?? 0) / most : 0, '--c': colour } as CSSProperties} />
      </td>
      <td>{used?.opened ?? '–'}</td>
      <td>{used ? prettyTime(used.longest) : '–'}</td>
    </>
  );
}

const changeText = ({ one, other }: ComparedRow): string => {
  if (!other || (other.seconds <= 0 && (one?.seconds ?? 0) > 0)) return 'new';
  if (!one) return 'gone';
  const { percent } = changeOf(one.seconds, other.seconds);
  return `${percent > 0 ? '+' : ''}${percent}%`;
};

const HEADS = ['Time', 'Times opened', 'Longest stretch'];

/** What was used by application; two periods stand beside one another. */
export function UsedTable({ rows, colourOf, isCompared }: UsedTableProps) {
  const most = Math.max(0, ...rows.flatMap(({ one, other }) => [one?.seconds ?? 0, other?.seconds ?? 0]));
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
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
                <i style={{ background: colourOf(row.name) }} />
                {row.name}
              </th>
              <td dir="auto">{row.category}</td>
              <Cells used={row.one} most={most} colour={colourOf(row.name)} />
              {isCompared ? (
                <>
                  <Cells used={row.other} most={most} colour={colourOf(row.name)} />
                  <td>{changeText(row)}</td>
                </>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
