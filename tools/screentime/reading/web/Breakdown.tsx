import { memo, type CSSProperties, type KeyboardEvent } from 'react';
import { PaintSlice } from '#platform/web/windowing/PaintSlice.tsx';
import { gridHours } from './breakdown.ts';
import { DetailCard } from './DetailCard.tsx';
import type { BreakdownProps, ShownApplication } from './viewTypes.ts';
import styles from './Breakdown.module.css';

/** Left and right go from bar to bar; Tab goes on behind them. */
const walk = (event: KeyboardEvent<HTMLButtonElement>): void => {
  const bars = [...(event.currentTarget.parentElement?.querySelectorAll('button') ?? [])];
  const at = bars.indexOf(event.currentTarget);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: bars.length - 1 }[event.key];
  if (to === undefined || !bars[to]) return;
  event.preventDefault();
  bars[to].focus();
};

/** Names of so many characters fit under a bar. To cut one off costs each drawing of the page something, also where nothing is cut off. */
const FITS = 6;

interface BarsProps {
  readonly applications: readonly ShownApplication[];
  readonly selected: string | undefined;
  readonly onSelect: (name: string) => void;
}

function Bars({ applications, selected, onSelect }: BarsProps) {
  const grid = gridHours(applications.map(({ stats }) => stats.lasttwoweekshours));
  const [top = 1] = grid;
  const entry = applications.some(({ name }) => name === selected) ? selected : applications[0]?.name;
  return (
    <PaintSlice position={2} className={styles['plot']}>
      <div className={`${styles['axis']} num`} aria-hidden="true">
        {grid.map((hours, index) => (
          <span key={hours} style={{ top: `${(100 * index) / (grid.length - 1)}%` }}>
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
              tabIndex={name === entry ? 0 : -1}
              aria-pressed={name === selected}
              title={name}
              onClick={() => onSelect(name)}
              onKeyDown={walk}
            >
              <span className={styles['bar']}>
                <b className="num">
                  {stats.lasttwoweekshours.toFixed(1)}
                  <span> hours of </span>
                </b>
                <i style={{ '--share': stats.lasttwoweekshours / top, '--c': colour } as CSSProperties} />
              </span>
              <em className={name.length > FITS ? 'ellipsis' : undefined} dir="auto">
                {name}
              </em>
            </button>
          ))}
        </div>
      </div>
    </PaintSlice>
  );
}

/** Hours of the past two weeks as bars; a tap on one shows its card (specification 2, sections 2.2 and 9). */
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
