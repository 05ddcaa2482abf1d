import { Button } from '@mantine/core';
import {
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconRefresh,
  IconVolume,
  IconVolumeOff,
} from '@tabler/icons-react';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import { at, SECOND, type Milliseconds } from '../domain/countdown.ts';
import { leftText, roundText, secondsLeft } from '../domain/timeDisplay.ts';
import type { NamedTimer } from '../domain/timers.ts';
import { TimeLeft } from './Digits.tsx';
import { Extras } from './Extras.tsx';
import { Presets } from './Presets.tsx';
import { ringing } from './ringing.ts';
import { SecondsField } from './SecondsField.tsx';
import { useSoundState } from './sound.ts';
import { countdownActs } from './timerActions.ts';
import styles from './TimerPage.module.css';

const AT_END = [
  { value: 'again', label: 'Start again' },
  { value: 'stop', label: 'Stop' },
] as const;

const SILENT_HINTS = {
  waiting: 'This browser plays no sound here until you click or press a key.',
  none: 'This browser has no sound: the end is only shown.',
} as const;

function SoundHint({ running }: { readonly running: boolean }) {
  const state = useSoundState();
  if (state === 'ready' || (state === 'waiting' && !running)) return null;
  return (
    <p className={styles['silent']}>
      <IconVolumeOff size={16} stroke={1.75} aria-hidden />
      {SILENT_HINTS[state]}
    </p>
  );
}

/** A word for what it does just now. */
export function StateBadge({ running }: { readonly running: boolean }) {
  return (
    <Badge tone={running ? 'brass' : 'plain'}>
      {running && <IconPlayerPlayFilled size={11} aria-hidden />}
      {running ? 'running' : 'paused'}
    </Badge>
  );
}

/** Start or Pause, the widest of the buttons. */
export function StartPause({ running, toggle }: { readonly running: boolean; readonly toggle: () => void }) {
  const Icon = running ? IconPlayerPauseFilled : IconPlayerPlayFilled;
  return (
    <Button variant="primary" className={styles['go'] ?? ''} leftSection={<Icon size={18} />} onClick={toggle}>
      {running ? 'Pause' : 'Start'}
    </Button>
  );
}

/** One timer: its time, its state, its buttons and its two fields. */
export function Countdown({ timer, now }: { readonly timer: NamedTimer; readonly now: Milliseconds }) {
  const { countdown } = timer;
  const shown = at(countdown, now);
  return (
    <>
      <div className={styles['middle']}>
        <TimeLeft shown={shown} />
        <div className={styles['state']}>
          <StateBadge running={shown.running} />
          <span className="num">
            {countdown.once
              ? `once ${leftText(countdown.loop)}`
              : `loop ${leftText(countdown.loop)}, ${roundText(shown.rounds)}`}
          </span>
        </div>
        <SoundHint running={shown.running} />
      </div>
      <div className={styles['controls']}>
        <Button
          className={styles['aux'] ?? ''}
          leftSection={<IconRefresh size={20} stroke={1.75} />}
          onClick={countdownActs.reset}
        >
          Reset
        </Button>
        <StartPause running={shown.running} toggle={countdownActs.toggle} />
        <Button
          className={styles['aux'] ?? ''}
          leftSection={<IconVolume size={20} stroke={1.75} />}
          onClick={() => void ringing.test()}
        >
          Test audio
        </Button>
      </div>
      <Presets loop={countdown.loop} onPick={countdownActs.setRound} />
      {/* Keyed: what is half written for one timer is not taken for another. */}
      <div key={timer.id} className={styles['fields']}>
        <SecondsField label="change loop time" seconds={countdown.loop / SECOND} onSet={countdownActs.setLoop} />
        <SecondsField label="change time left" seconds={secondsLeft(shown.left)} onSet={countdownActs.setLeft} />
        <div className={styles['ends']}>
          <span aria-hidden>at the end</span>
          <SegmentedControl
            label="At the end"
            options={AT_END}
            value={countdown.once ? 'stop' : 'again'}
            firm
            onSelect={(value) => countdownActs.setOnce(value === 'stop')}
          />
        </div>
      </div>
      <Extras />
    </>
  );
}
