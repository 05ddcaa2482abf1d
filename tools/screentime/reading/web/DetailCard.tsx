import type { ReactNode } from 'react';
import { prettyTime } from '../domain/formats.ts';
import type { ShownApplication } from './viewTypes.ts';
import styles from './Breakdown.module.css';

interface LineProps {
  readonly name: string;
  readonly children: ReactNode;
}

function Line({ name, children }: LineProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="num">{children}</dd>
    </div>
  );
}

interface ChangeProps {
  readonly percent: number;
  readonly text: string;
}

function Change({ percent, text }: ChangeProps) {
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

/** All that is known of an application (specification 2, section 2.2); the last two lines are ours. What was heard or open alone was never used. */
export function DetailCard({ application: { name, colour, stats } }: { readonly application: ShownApplication }) {
  return (
    <article className={styles['card']} aria-label={name}>
      <h3>
        <i style={{ background: colour }} />
        <span dir="auto">{name}</span>
      </h3>
      <dl>
        <Line name="Past two weeks">{stats.prettylasttwoweeks}</Line>
        <Line name="Average daily use">{stats.avgtwoweeks}</Line>
        <Line name="Change">
          <Change percent={stats.percentchange} text={stats.percentchangetext} />
        </Line>
        <Line name="Last Used">{stats.enabled ? stats.lastused : 'Never in focus'}</Line>
        <Line name="Total time">{stats.prettytotaltime}</Line>
        <Line name="Percent of total time">{stats.percenttimeusedtotal}%</Line>
        <Line name="Percent of total time in last two weeks">{stats.percenttimeusedlasttwoweeks}%</Line>
        <Line name="Times opened">{stats.timesopened}</Line>
        <Line name="Longest stretch">{prettyTime(stats.longeststretch)}</Line>
      </dl>
    </article>
  );
}
