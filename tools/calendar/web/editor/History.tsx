import { Button } from '@mantine/core';
import { useState, type CSSProperties } from 'react';
import { formatClockTime, formatShortDate } from '#platform/web/browser/formats.ts';
import { EDIT_COLOURS } from '../../events/domain/tags.ts';
import { useEditColours } from '../useCalendar.ts';
import type { WireEvent } from './eventData.ts';
import styles from './History.module.css';

type HistoryBin = WireEvent['edithistory'][number];

/** A bin of the history on the timeline. */
interface Mark {
  /** 0 to 1. */
  readonly at: number;
  /** Types other than 'accessed', in order, without duplicates. */
  readonly types: readonly string[];
  readonly isAccessed: boolean;
  readonly edits: HistoryBin['edits'];
}

const ACCESSED = 'accessed';

/**
 * Positions are the bin's number divided by the last one's (docs/specification/calendar.md section 3.4). Empty bins
 * only mark the end.
 */
export function listMarks(bins: readonly HistoryBin[]): readonly Mark[] {
  const last = bins.reduce((max, { binnumber }) => Math.max(max, binnumber), 0);
  return bins
    .filter(({ edits }) => edits.length > 0)
    .map(({ binnumber, edits }) => ({
      at: last === 0 ? 0 : binnumber / last,
      types: [...new Set(edits.map(({ type }) => type))].filter((type) => type !== ACCESSED),
      isAccessed: edits.some(({ type }) => type === ACCESSED),
      edits,
    }));
}

/** Index of the mark nearest to a position from 0 to 1. */
export function findNearest(marks: readonly Mark[], place: number): number {
  return marks.reduce(
    (best, { at }, index) => (Math.abs(at - place) < Math.abs((marks[best]?.at ?? Infinity) - place) ? index : best),
    0,
  );
}

/** All types for the legend in order of appearance, 'accessed' last. */
function listTypes(bins: readonly HistoryBin[]): readonly string[] {
  const types = [...new Set(bins.flatMap(({ edits }) => edits.map(({ type }) => type)))];
  return types.toSorted((one, other) => Number(one === ACCESSED) - Number(other === ACCESSED));
}

type HistoryEntry = Mark['edits'][number];
const describeEdit = ({ type, date, ip }: HistoryEntry): string =>
  `${type}, ${formatShortDate(date)} ${formatClockTime(date)}, from ${ip}`;
const MAX_ANNOUNCED = 3;
/** The text of a mark. Accesses from one address are counted together. */
const readMark = ({ edits }: Mark): string => {
  const read = edits.slice(-MAX_ANNOUNCED).map(describeEdit).join('; ');
  return edits.length > MAX_ANNOUNCED ? `${read}; and ${edits.length - MAX_ANNOUNCED} earlier edits` : read;
};

const useColours = () => {
  const colours = useEditColours();
  return (type: string): CSSProperties =>
    ({ '--c': colours[type] ?? EDIT_COLOURS[type] ?? 'var(--text-3)' }) as CSSProperties;
};

/** The timeline of an event. It is one tab stop; arrows, Home and End move between the marks. */
function Timeline({ marks }: { readonly marks: readonly Mark[] }) {
  const getColour = useColours();
  const [at, setAt] = useState<number>();
  const last = marks.length - 1;
  const mark = at === undefined ? undefined : marks[at];
  const step = (key: string): number | undefined => {
    const from = at ?? last;
    if (key === 'ArrowRight' || key === 'ArrowUp') return Math.min(last, from + 1);
    if (key === 'ArrowLeft' || key === 'ArrowDown') return Math.max(0, from - 1);
    if (key === 'Home') return 0;
    return key === 'End' ? last : undefined;
  };
  return (
    <>
      <div
        className={styles['line']}
        role="slider"
        tabIndex={0}
        aria-label="Event history"
        aria-valuemin={1}
        aria-valuemax={marks.length}
        aria-valuenow={(at ?? last) + 1}
        aria-valuetext={readMark(mark ?? (marks[last] as Mark))}
        onFocus={() => setAt(at ?? last)}
        onBlur={() => setAt(undefined)}
        onPointerMove={({ clientX, currentTarget }) => {
          const { left, width } = currentTarget.getBoundingClientRect();
          setAt(findNearest(marks, (clientX - left) / width));
        }}
        onPointerLeave={({ currentTarget }) => currentTarget !== document.activeElement && setAt(undefined)}
        onKeyDown={(event) => {
          const next = step(event.key);
          if (next === undefined) return;
          event.preventDefault();
          setAt(next);
        }}
      >
        {/* Accesses are drawn below changes. */}
        {marks.map((each, index) =>
          each.isAccessed ? (
            <i
              key={index}
              data-type="accessed"
              data-at={index === at || undefined}
              style={{ ...getColour('accessed'), left: `${each.at * 100}%` }}
            />
          ) : null,
        )}
        {marks.map((each, index) =>
          each.types.map((type, above) => (
            <i
              key={`${index} ${type}`}
              data-type={type}
              data-at={index === at || undefined}
              style={{ ...getColour(type), left: `calc(${each.at * 100}% + ${above * 5}px)` }}
            />
          )),
        )}
      </div>
      <p className={styles['read']}>{mark && readMark(mark)}</p>
    </>
  );
}

/** The history of the event: what happened, when, and from which address. */
export function History({ event }: { readonly event: WireEvent }) {
  const getColour = useColours();
  const [isFull, setIsFull] = useState(false);
  const marks = listMarks(event.edithistory);
  const edits = event.edithistory.flatMap((bin) => bin.edits).toReversed();
  if (marks.length === 0) return null;
  return (
    <section aria-label="History" className={styles['history']}>
      <header>
        <h3>History</h3>
        <Button variant="subtle" aria-expanded={isFull} onClick={() => setIsFull(!isFull)}>
          {isFull ? 'Hide full history' : 'Show full history'}
        </Button>
      </header>
      <Timeline marks={marks} />
      <ul className={styles['legend']} aria-label="Colours of the history">
        {listTypes(event.edithistory).map((type) => (
          <li key={type}>
            <i style={getColour(type)} aria-hidden /> {type}
          </li>
        ))}
      </ul>
      {isFull && (
        <table className={styles['full']}>
          <thead>
            <tr>
              <th scope="col">Change</th>
              <th scope="col">When</th>
              <th scope="col">Address</th>
            </tr>
          </thead>
          <tbody>
            {edits.map((edit, index) => (
              <tr key={index}>
                <td>
                  <i style={getColour(edit.type)} aria-hidden /> {edit.type}
                </td>
                <td className="num">
                  {formatShortDate(edit.date)}, {formatClockTime(edit.date)}
                </td>
                <td className="num">{edit.ip}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
