import { Button } from '@mantine/core';
import {
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconRefresh,
  IconVolume,
  IconVolumeOff,
  IconBell,
  IconBellOff,
  IconBellRinging,
  IconPictureInPicture,
} from '@tabler/icons-react';
import { useId, useState } from 'react';
import { SECOND_MS } from '#platform/contract/duration.ts';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import { getCountdownView, type Milliseconds } from '../domain/countdown.ts';
import { readSeconds } from '../domain/lengthFields.ts';
import { formatTimeLeft, roundText, secondsLeft } from '../domain/timeDisplay.ts';
import type { NamedTimer } from '../domain/timers.ts';
import { TimeLeft } from './Digits.tsx';
import { useNotify } from './ending.ts';
import { canPin, pinTimer } from './pinned.tsx';
import { Presets } from './Presets.tsx';
import { ringing } from './ringing.ts';
import { useSoundState } from './sound.ts';
import { countdownActs } from './timerActions.ts';
import secondsFieldStyles from './SecondsField.module.css';
import styles from './TimerPage.module.css';

const bells = {
  on: { label: 'Notifications are on', Icon: IconBellRinging },
  off: { label: 'Turn on notifications', Icon: IconBell },
  blocked: { label: 'Notifications are blocked', Icon: IconBellOff },
} as const;

function Bell() {
  const { state, toggle } = useNotify();
  if (state === 'none') return null;
  if (state === 'insecure')
    return (
      <p className={styles['requirement']}>
        <HttpsHint>Notifications, the small window and keeping the screen on need https</HttpsHint>
      </p>
    );
  const { label, Icon } = bells[state];
  return (
    <Button
      variant="subtle"
      leftSection={<Icon size={18} stroke={1.75} />}
      disabled={state === 'blocked'}
      {...(state === 'blocked'
        ? { title: 'Allow them in the settings of this browser' }
        : { 'aria-pressed': state === 'on' })}
      onClick={() => void toggle()}
    >
      {label}
    </Button>
  );
}

/** Optional features that not every browser supports. */
export function Extras() {
  return (
    <div className={styles['extras']}>
      {canPin() && (
        <Button
          variant="subtle"
          leftSection={<IconPictureInPicture size={18} stroke={1.75} />}
          onClick={() => void pinTimer()}
        >
          Small window
        </Button>
      )}
      <Bell />
    </div>
  );
}

interface SecondsFieldProps {
  readonly label: string;
  /** Shown while the user doesn't edit the field. */
  readonly seconds: number;
  readonly onSet: (length: Milliseconds) => void;
}

/** Returns the text after the field: its unit, or the parsed length if the input is more than a number. */
const getFieldSuffix = (draft: string | undefined): string => {
  if (draft === undefined || /^\s*\+?\d*\s*$/u.test(draft)) return 'seconds';
  const read = readSeconds(draft);
  return 'length' in read ? `= ${formatTimeLeft(read.length)}` : '';
};

/**
 * A field for a length, read by `readSeconds`. It applies with Enter or on blur; invalid input stays and shows an
 * error.
 */
export function SecondsField({ label, seconds, onSet }: SecondsFieldProps) {
  const id = useId();
  const [draft, setDraft] = useState<string>();
  const [problem, setProblem] = useState<string>();

  const applyDraft = (): void => {
    if (draft === undefined) return;
    const read = readSeconds(draft);
    if ('problem' in read) return setProblem(read.problem);
    setProblem(undefined);
    setDraft(undefined);
    onSet(read.length);
  };
  const discardDraft = (): void => {
    setProblem(undefined);
    setDraft(undefined);
  };

  return (
    <form
      className={secondsFieldStyles['field']}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        applyDraft();
      }}
    >
      <label htmlFor={id}>{label}</label>
      <span className={secondsFieldStyles['entry']} data-bad={problem !== undefined || undefined}>
        <input
          id={id}
          autoComplete="off"
          enterKeyHint="done"
          value={draft ?? String(seconds)}
          aria-describedby={problem === undefined ? `${id}u` : `${id}u ${id}p`}
          aria-invalid={problem !== undefined}
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => {
            setDraft(event.currentTarget.value);
            setProblem(undefined);
          }}
          onBlur={applyDraft}
          onKeyDown={(event) => {
            if (event.key === 'Escape') discardDraft();
          }}
        />
        <span id={`${id}u`}>{getFieldSuffix(draft)}</span>
      </span>
      {problem !== undefined && (
        <span id={`${id}p`} className={secondsFieldStyles['problem']} role="alert">
          {problem}
        </span>
      )}
    </form>
  );
}

const AT_END = [
  { value: 'again', label: 'Repeat' },
  { value: 'stop', label: 'Stop' },
] as const;

const SILENT_HINTS = {
  waiting: 'Click or press a key to turn on sound',
  none: "This browser can't play the alarm, so the end is only shown",
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

/** Shows whether the timer is running. */
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
    <Button variant="primary" className={styles['start'] ?? ''} leftSection={<Icon size={18} />} onClick={toggle}>
      {running ? 'Pause' : 'Start'}
    </Button>
  );
}

/** One timer: its time, its state, its buttons and its two fields. */
export function Countdown({ timer, now }: { readonly timer: NamedTimer; readonly now: Milliseconds }) {
  const { countdown } = timer;
  const shown = getCountdownView(countdown, now);
  return (
    <>
      <div className={styles['middle']}>
        <TimeLeft shown={shown} />
        <div className={styles['state']}>
          <StateBadge running={shown.running} />
          <span className="num">
            {countdown.once
              ? `once ${formatTimeLeft(countdown.loop)}`
              : `loop ${formatTimeLeft(countdown.loop)}, ${roundText(shown.rounds)}`}
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
      {/* The key keeps a draft from being applied to another timer. */}
      <div key={timer.id} className={styles['fields']}>
        <SecondsField label="change loop time" seconds={countdown.loop / SECOND_MS} onSet={countdownActs.setLoop} />
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
