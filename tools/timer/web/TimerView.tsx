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
import { Form } from '#platform/web/ui/Form.tsx';
import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import { getCountdownView, type Milliseconds } from '../domain/countdown.ts';
import { parseLength } from '../domain/parseLength.ts';
import { formatRemaining, formatRound, toRemainingSeconds } from '../domain/timeDisplay.ts';
import type { NamedTimer } from '../domain/timers.ts';
import { alarms } from './alarms.ts';
import { TimeLeft } from './Digits.tsx';
import { useNotifications } from './endReports.ts';
import { canPin, pinTimer } from './pinned.tsx';
import { Presets } from './Presets.tsx';
import { useSoundState } from './sound.ts';
import { countdownActions } from './timerActions.ts';
import secondsFieldStyles from './SecondsField.module.css';
import styles from './TimerPage.module.css';

const NOTIFICATION_BUTTONS = {
  on: { label: 'Notifications are on', Icon: IconBellRinging },
  off: { label: 'Turn on notifications', Icon: IconBell },
  blocked: { label: 'Notifications are blocked', Icon: IconBellOff },
} as const;

function NotificationButton() {
  const { state, toggle } = useNotifications();
  if (state === 'unsupported') return null;
  if (state === 'insecure')
    return (
      <p className={styles['requirement']}>
        <HttpsHint>Notifications, the small window and keeping the screen on need https</HttpsHint>
      </p>
    );
  const { label, Icon } = NOTIFICATION_BUTTONS[state];
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
      <NotificationButton />
    </div>
  );
}

interface SecondsFieldProps {
  readonly label: string;
  /** Shown while the user doesn't edit the field. */
  readonly seconds: number;
  readonly onChange: (length: Milliseconds) => void;
}

/** Returns the text after the field: its unit, or the parsed length if the input is more than a number. */
function getFieldSuffix(draft: string | undefined): string {
  if (draft === undefined || /^\s*\+?\d*\s*$/u.test(draft)) return 'seconds';
  const parsed = parseLength(draft);
  return 'length' in parsed ? `= ${formatRemaining(parsed.length)}` : '';
}

/**
 * A field for a length, parsed by `parseLength`. It applies with Enter or on blur.
 * Invalid input stays and shows an error.
 */
export function SecondsField({ label, seconds, onChange }: SecondsFieldProps) {
  const id = useId();
  const [draft, setDraft] = useState<string>();
  const [problem, setProblem] = useState<string>();

  function applyDraft(): void {
    if (draft === undefined) return;
    const parsed = parseLength(draft);
    if ('problem' in parsed) return setProblem(parsed.problem);
    setProblem(undefined);
    setDraft(undefined);
    onChange(parsed.length);
  }
  function discardDraft(): void {
    setProblem(undefined);
    setDraft(undefined);
  }

  return (
    <Form className={secondsFieldStyles['field']} noValidate onSubmit={applyDraft}>
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
    </Form>
  );
}

const END_OPTIONS = [
  { value: 'again', label: 'Repeat' },
  { value: 'stop', label: 'Stop' },
] as const;

const SILENT_HINTS = {
  waiting: 'Click or press a key to turn on sound',
  unsupported: "This browser can't play the alarm, so the end is only shown",
} as const;

function SoundHint({ isRunning }: { readonly isRunning: boolean }) {
  const state = useSoundState();
  if (state === 'ready' || (state === 'waiting' && !isRunning)) return null;
  return (
    <p className={styles['silent']}>
      <IconVolumeOff size={16} stroke={1.75} aria-hidden />
      {SILENT_HINTS[state]}
    </p>
  );
}

/** Shows whether the timer is running. */
export function StateBadge({ isRunning }: { readonly isRunning: boolean }) {
  return (
    <Badge tone={isRunning ? 'brass' : 'plain'}>
      {isRunning && <IconPlayerPlayFilled size={11} aria-hidden />}
      {isRunning ? 'running' : 'paused'}
    </Badge>
  );
}

/** Start or Pause, the widest of the buttons. */
export function StartPause({ isRunning, onToggle }: { readonly isRunning: boolean; readonly onToggle: () => void }) {
  const Icon = isRunning ? IconPlayerPauseFilled : IconPlayerPlayFilled;
  return (
    <Button variant="primary" className={styles['start'] ?? ''} leftSection={<Icon size={18} />} onClick={onToggle}>
      {isRunning ? 'Pause' : 'Start'}
    </Button>
  );
}

/** One timer: its time, its state, its buttons and its two fields. */
export function TimerView({ timer, now }: { readonly timer: NamedTimer; readonly now: Milliseconds }) {
  const { countdown } = timer;
  const view = getCountdownView(countdown, now);
  return (
    <>
      <div className={styles['middle']}>
        <TimeLeft view={view} />
        <div className={styles['state']}>
          <StateBadge isRunning={view.isRunning} />
          <span className="num">
            {countdown.once
              ? `once ${formatRemaining(countdown.loop)}`
              : `loop ${formatRemaining(countdown.loop)}, ${formatRound(view.rounds)}`}
          </span>
        </div>
        <SoundHint isRunning={view.isRunning} />
      </div>
      <div className={styles['controls']}>
        <Button
          className={styles['aux'] ?? ''}
          leftSection={<IconRefresh size={20} stroke={1.75} />}
          onClick={countdownActions.reset}
        >
          Reset
        </Button>
        <StartPause isRunning={view.isRunning} onToggle={countdownActions.toggle} />
        <Button
          className={styles['aux'] ?? ''}
          leftSection={<IconVolume size={20} stroke={1.75} />}
          onClick={() => void alarms.test()}
        >
          Test audio
        </Button>
      </div>
      <Presets loop={countdown.loop} onSelect={countdownActions.setRound} />
      {/* The key keeps a draft from being applied to another timer. */}
      <div key={timer.id} className={styles['fields']}>
        <SecondsField
          label="change loop time"
          seconds={countdown.loop / SECOND_MS}
          onChange={countdownActions.setLoop}
        />
        <SecondsField
          label="change time left"
          seconds={toRemainingSeconds(view.remaining)}
          onChange={countdownActions.setRemaining}
        />
        <div className={styles['ends']}>
          <span aria-hidden>at the end</span>
          <SegmentedControl
            label="At the end"
            options={END_OPTIONS}
            value={countdown.once ? 'stop' : 'again'}
            isSingleLine
            onSelect={(value) => countdownActions.setStopsAtEnd(value === 'stop')}
          />
        </div>
      </div>
      <Extras />
    </>
  );
}
