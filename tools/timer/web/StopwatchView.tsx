import { Button } from '@mantine/core';
import { IconFlag, IconRefresh } from '@tabler/icons-react';
import { memo } from 'react';
import type { Milliseconds } from '../domain/countdown.ts';
import { lapAt, lapsOf, MAX_LAPS, ranAt, type Stopwatch } from '../domain/stopwatch.ts';
import { hundredthsText, ranText, spokenText } from '../domain/timeDisplay.ts';
import { StartPause, StateBadge } from './CountdownView.tsx';
import { Digits } from './Digits.tsx';
import { stopwatchActs } from './timerActions.ts';
import styles from './TimerPage.module.css';

const Laps = memo(function Laps({ stopwatch }: { readonly stopwatch: Stopwatch }) {
  return (
    <table className={styles['laps']}>
      <thead>
        <tr>
          <th scope="col">Lap</th>
          <th scope="col">Took</th>
          <th scope="col">At</th>
        </tr>
      </thead>
      <tbody>
        {lapsOf(stopwatch).map(({ number, took, total }) => (
          <tr key={number}>
            <th scope="row">{number}</th>
            <td>{hundredthsText(took)}</td>
            <td>{hundredthsText(total)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
});

/** The plain stopwatch, with laps. */
export function StopwatchView({ stopwatch, now }: { readonly stopwatch: Stopwatch; readonly now: Milliseconds }) {
  const running = stopwatch.since !== undefined;
  const ran = ranAt(stopwatch, now);
  const text = ranText(ran);
  const isFull = stopwatch.laps.length >= MAX_LAPS;
  return (
    <>
      <div className={styles['middle']}>
        <Digits
          label={`${spokenText(Math.floor(ran / 1000))} passed`}
          text={text}
          fraction={hundredthsText(ran).slice(text.length, text.length + 2)}
        />
        <div className={styles['state']}>
          <StateBadge running={running} />
          {stopwatch.laps.length > 0 && (
            <span className="num">
              lap {stopwatch.laps.length + 1}, {ranText(lapAt(stopwatch, now))}
            </span>
          )}
          {isFull && <span>{MAX_LAPS} laps at most</span>}
        </div>
        {stopwatch.laps.length > 0 && (
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by the keyboard too
          <div className={styles['lapsplace']} tabIndex={0} role="region" aria-label="Laps">
            <Laps stopwatch={stopwatch} />
          </div>
        )}
      </div>
      <div className={styles['controls']}>
        <Button
          className={styles['aux'] ?? ''}
          leftSection={<IconRefresh size={20} stroke={1.75} />}
          onClick={stopwatchActs.reset}
        >
          Reset
        </Button>
        <StartPause running={running} toggle={stopwatchActs.toggle} />
        <Button
          className={styles['aux'] ?? ''}
          leftSection={<IconFlag size={20} stroke={1.75} />}
          disabled={!running || isFull}
          onClick={stopwatchActs.lap}
        >
          Lap
        </Button>
      </div>
    </>
  );
}
