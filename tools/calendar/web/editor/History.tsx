import { Button } from '@mantine/core';
import { useState, type CSSProperties } from 'react';
import { formatClockTime, formatDate } from '#platform/web/browser/formats.ts';
import { EDIT_COLOURS } from '../../events/domain/tags.ts';
import { useEditColours } from '../useCalendar.ts';
import type { WireEvent } from './eventData.ts';
import styles from './History.module.css';

type HistoryBin = WireEvent['edithistory'][number];

/** A bin of the history on the timeline. */
interface Mark {
  /** 0 to 1. */
  readonly position: number;
  /** Types other than 'accessed', in order, without duplicates. */
  readonly types: readonly string[];
  readonly isAccessed: boolean;
  readonly edits: HistoryBin['edits'];
}

const ACCESSED = 'accessed';

/**
 * Lists the marks. Their position is the bin's number divided by the last one's (docs/specification/calendar.md
 * section 3.4). Empty bins only mark the end.
 */
export function listMarks(bins: readonly HistoryBin[]): readonly Mark[] {
  const lastNumber = bins.reduce((max, { binnumber }) => Math.max(max, binnumber), 0);
  return bins
    .filter(({ edits }) => edits.length > 0)
    .map(({ binnumber, edits }) => ({
      position: lastNumber === 0 ? 0 : binnumber / lastNumber,
      types: [...new Set(edits.map(({ type }) => type))].filter((type) => type !== ACCESSED),
      isAccessed: edits.some(({ type }) => type === ACCESSED),
      edits,
    }));
}

/** Returns the index of the mark nearest to a position from 0 to 1. */
export function findNearestMark(marks: readonly Mark[], position: number): number {
  return marks.reduce(
    (best, mark, index) =>
      Math.abs(mark.position - position) < Math.abs((marks[best]?.position ?? Infinity) - position) ? index : best,
    0,
  );
}

/** Lists the types for the legend in order of appearance, 'accessed' last. */
function listTypes(bins: readonly HistoryBin[]): readonly string[] {
  const types = [...new Set(bins.flatMap(({ edits }) => edits.map(({ type }) => type)))];
  return types.toSorted((one, other) => Number(one === ACCESSED) - Number(other === ACCESSED));
}

type HistoryEntry = Mark['edits'][number];
const describeEdit = ({ type, date, ip }: HistoryEntry): string =>
  `${type}, ${formatDate(date)} ${formatClockTime(date)}, from ${ip}`;
const MAX_ANNOUNCED = 3;
/** Describes a mark. Accesses from one address are counted together. */
function describeMark({ edits }: Mark): string {
  const text = edits.slice(-MAX_ANNOUNCED).map(describeEdit).join('; ');
  return edits.length > MAX_ANNOUNCED ? `${text}; and ${edits.length - MAX_ANNOUNCED} earlier edits` : text;
}

function useColourStyle() {
  const colours = useEditColours();
  return (type: string): CSSProperties =>
    ({ '--c': colours[type] ?? EDIT_COLOURS[type] ?? 'var(--text-3)' }) as CSSProperties;
}

/** The timeline of an event. It is one tab stop; arrows, Home and End move between the marks. */
function Timeline({ marks }: { readonly marks: readonly Mark[] }) {
  const getColour = useColourStyle();
  const [selectedIndex, setSelectedIndex] = useState<number>();
  const last = marks.length - 1;
  const selectedMark = selectedIndex === undefined ? undefined : marks[selectedIndex];
  function step(key: string): number | undefined {
    const from = selectedIndex ?? last;
    if (key === 'ArrowRight' || key === 'ArrowUp') return Math.min(last, from + 1);
    if (key === 'ArrowLeft' || key === 'ArrowDown') return Math.max(0, from - 1);
    if (key === 'Home') return 0;
    return key === 'End' ? last : undefined;
  }
  return (
    <>
      <div
        className={styles['line']}
        role="slider"
        tabIndex={0}
        aria-label="Event history"
        aria-valuemin={1}
        aria-valuemax={marks.length}
        aria-valuenow={(selectedIndex ?? last) + 1}
        aria-valuetext={describeMark(selectedMark ?? (marks[last] as Mark))}
        onFocus={() => setSelectedIndex(selectedIndex ?? last)}
        onBlur={() => setSelectedIndex(undefined)}
        onPointerMove={({ clientX, currentTarget }) => {
          const { left, width } = currentTarget.getBoundingClientRect();
          setSelectedIndex(findNearestMark(marks, (clientX - left) / width));
        }}
        onPointerLeave={({ currentTarget }) => currentTarget !== document.activeElement && setSelectedIndex(undefined)}
        onKeyDown={(event) => {
          const next = step(event.key);
          if (next === undefined) return;
          event.preventDefault();
          setSelectedIndex(next);
        }}
      >
        {/* Accesses are drawn below changes. */}
        {marks.map((mark, index) =>
          mark.isAccessed ? (
            <i
              key={index}
              data-type="accessed"
              data-at={index === selectedIndex || undefined}
              style={{ ...getColour('accessed'), left: `${mark.position * 100}%` }}
            />
          ) : null,
        )}
        {marks.map((mark, index) =>
          mark.types.map((type, offset) => (
            <i
              key={`${index} ${type}`}
              data-type={type}
              data-at={index === selectedIndex || undefined}
              style={{ ...getColour(type), left: `calc(${mark.position * 100}% + ${offset * 5}px)` }}
            />
          )),
        )}
      </div>
      <p className={`${styles['read']} num`}>{selectedMark && describeMark(selectedMark)}</p>
    </>
  );
}

/** The history of the event: what happened, when, and from which address. */
export function History({ event }: { readonly event: WireEvent }) {
  const getColour = useColourStyle();
  const [isTableShown, setTableShown] = useState(false);
  const marks = listMarks(event.edithistory);
  const edits = event.edithistory.flatMap((bin) => bin.edits).toReversed();
  if (marks.length === 0) return null;
  return (
    <section aria-label="History" className={styles['history']}>
      <header>
        <h3>History</h3>
        <Button variant="subtle" aria-expanded={isTableShown} onClick={() => setTableShown(!isTableShown)}>
          {isTableShown ? 'Hide full history' : 'Show full history'}
        </Button>
      </header>
      <Timeline marks={marks} />
      <ul className={styles['legend']} aria-label="Colours of the history">
        {listTypes(event.edithistory).map((type) => (
          <li key={type}>
            <i className="dot" style={getColour(type)} aria-hidden /> {type}
          </li>
        ))}
      </ul>
      {isTableShown && (
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
                  <i className="dot" style={getColour(edit.type)} aria-hidden /> {edit.type}
                </td>
                <td className="num">
                  {formatDate(edit.date)}, {formatClockTime(edit.date)}
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
