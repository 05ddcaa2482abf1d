import { memo, type CSSProperties, type KeyboardEvent, type ReactNode } from 'react';
import { PaintSlice } from '#platform/web/windowing/PaintSlice.tsx';
import { formatDuration } from '../../usage/domain/formats.ts';
import type { BreakdownProps, ShownApplication } from './viewTypes.ts';
import styles from './Breakdown.module.css';

/** Gridlines above 0, and the hours that the highest is a multiple of (docs/specification/screentime.md section 6). */
const GRIDLINE_COUNT = 5;
const TOP_MULTIPLE_HOURS = 5;

/** Returns the hours of the gridlines, from the top down to 0. */
export function listGridHours(hours: readonly number[]): readonly number[] {
  const max = hours.reduce((highest, value) => Math.max(highest, value), 0);
  const top = Math.max(1, Math.ceil(max / TOP_MULTIPLE_HOURS)) * TOP_MULTIPLE_HOURS;
  return Array.from({ length: GRIDLINE_COUNT + 1 }, (_, index) => (top * (GRIDLINE_COUNT - index)) / GRIDLINE_COUNT);
}

function DetailRow({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="num">{children}</dd>
    </div>
  );
}

function Change({ percent, text }: { readonly percent: number; readonly text: string }) {
  if (percent === 0) return text;
  return (
    <>
      <span className={styles['change']} data-less={percent < 0 || undefined}>
        <span aria-hidden="true">{percent < 0 ? '▼' : '▲'} </span>
        {Math.abs(percent)}%
      </span>{' '}
      {text}
    </>
  );
}

/**
 * Card with everything about an application (docs/specification/screentime.md section 1.6). Background and sound alone
 * don't count as use.
 */
export function DetailCard({ application: { name, colour, stats } }: { readonly application: ShownApplication }) {
  return (
    <article className={`${styles['card']} surface`} aria-label={name}>
      <h3>
        <i style={{ background: colour }} />
        <span dir="auto">{name}</span>
      </h3>
      <dl>
        <DetailRow name="Past two weeks">{stats.prettylasttwoweeks}</DetailRow>
        <DetailRow name="Average daily use">{stats.avgtwoweeks}</DetailRow>
        <DetailRow name="Change">
          <Change percent={stats.percentchange} text={stats.percentchangetext} />
        </DetailRow>
        <DetailRow name="Last Used">{stats.enabled ? stats.lastused : 'Never in focus'}</DetailRow>
        <DetailRow name="Total time">{stats.prettytotaltime}</DetailRow>
        <DetailRow name="Percent of total time">{stats.percenttimeusedtotal}%</DetailRow>
        <DetailRow name="Percent of total time in last two weeks">{stats.percenttimeusedlasttwoweeks}%</DetailRow>
        <DetailRow name="Times opened">{stats.timesopened}</DetailRow>
        <DetailRow name="Longest session">{formatDuration(stats.longeststretch)}</DetailRow>
      </dl>
    </article>
  );
}

/** Left and right move between bars; Tab leaves them. */
function moveFocus(event: KeyboardEvent<HTMLButtonElement>): void {
  const bars = [...(event.currentTarget.parentElement?.querySelectorAll('button') ?? [])];
  const index = bars.indexOf(event.currentTarget);
  const nextIndex = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: bars.length - 1 }[event.key];
  if (nextIndex === undefined || !bars[nextIndex]) return;
  event.preventDefault();
  bars[nextIndex].focus();
}

/** Names up to this length fit under a bar. Clipping costs time at every render, even if nothing is clipped. */
const MAX_FITTING_LENGTH = 6;

interface BarsProps {
  readonly applications: readonly ShownApplication[];
  readonly selected: string | undefined;
  readonly onSelect: (name: string) => void;
}

function Bars({ applications, selected, onSelect }: BarsProps) {
  const gridHours = listGridHours(applications.map(({ stats }) => stats.lasttwoweekshours));
  const [top = 1] = gridHours;
  const tabStop = applications.some(({ name }) => name === selected) ? selected : applications[0]?.name;
  return (
    <PaintSlice position={2} className={styles['plot']}>
      <div className={`${styles['axis']} num`} aria-hidden="true">
        {gridHours.map((hours, index) => (
          <span key={hours} style={{ top: `${(100 * index) / (gridHours.length - 1)}%` }}>
            {hours}
          </span>
        ))}
      </div>
      <div className={styles['scroll']}>
        <div className={styles['bars']} role="group" aria-label="Hours of the past two weeks">
          {applications.map(({ name, colour, stats }) => (
            <button
              key={name}
              type="button"
              tabIndex={name === tabStop ? 0 : -1}
              aria-pressed={name === selected}
              title={name}
              onClick={() => onSelect(name)}
              onKeyDown={moveFocus}
            >
              <span className={styles['bar']}>
                <b className="num">
                  {stats.lasttwoweekshours.toFixed(1)}
                  <span> hours of </span>
                </b>
                <i style={{ '--share': stats.lasttwoweekshours / top, '--c': colour } as CSSProperties} />
              </span>
              <em className={name.length > MAX_FITTING_LENGTH ? 'ellipsis' : undefined} dir="auto">
                {name}
              </em>
            </button>
          ))}
        </div>
      </div>
    </PaintSlice>
  );
}

/**
 * Hours of the past two weeks as bars; selecting one shows its card (docs/specification/screentime.md section 1.6 and
 * section 6).
 */
export const Breakdown = memo(function Breakdown({ applications, selected, onSelect }: BreakdownProps) {
  return (
    <section className={styles['breakdown']} aria-labelledby="breakdown">
      <header>
        <h2 id="breakdown">Breakdown</h2>
        <span>two-week hours</span>
      </header>
      <Bars applications={applications} selected={selected?.name} onSelect={onSelect} />
      {selected === undefined ? null : (
        <PaintSlice position={3}>
          <DetailCard application={selected} />
        </PaintSlice>
      )}
    </section>
  );
});
