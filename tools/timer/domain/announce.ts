import { at, type Countdown, type Look, type Milliseconds } from './countdown.ts';
import { ranAt, type Stopwatch } from './stopwatch.ts';
import { secondsLeft, spokenLeft, spokenText } from './timeDisplay.ts';

const named = (name: string | undefined, sentence: string): string =>
  name === undefined || name === '' ? sentence : `${name}: ${sentence}`;

/** What a screen reader is told of the ends a look found; nothing where there were none. */
export const announceEnds = ({ ends, countdown }: Look, name?: string): string | undefined => {
  if (ends === 0) return undefined;
  const next = spokenText(secondsLeft(countdown.loop));
  const often = ends === 1 ? 'Time is up.' : `Time was up ${ends} times.`;
  return named(name, countdown.since === undefined ? often : `${often} The next round of ${next} has begun.`);
};

/** What a screen reader is told of a change: of start and pause, and of nothing else. */
export const announceChange = (
  before: Countdown,
  after: Countdown,
  now: Milliseconds,
  name?: string,
): string | undefined => {
  const { running, left } = at(after, now);
  if (running === at(before, now).running) return undefined;
  return named(name, `${running ? 'Started' : 'Paused'}, ${spokenLeft(left)}.`);
};

/** The same of the stopwatch: laps and reset are silent. */
export const announceStopwatch = (before: Stopwatch, after: Stopwatch, now: Milliseconds): string | undefined => {
  const running = after.since !== undefined;
  if (running === (before.since !== undefined)) return undefined;
  const ran = spokenText(Math.floor(ranAt(after, now) / 1000));
  return running ? 'Stopwatch started.' : `Stopwatch paused at ${ran}.`;
};
