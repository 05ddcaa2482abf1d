import { Button, Checkbox } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { call } from '#platform/web/app/call.ts';
import { push } from '#platform/web/app/push.ts';
import { useSession } from '#platform/web/app/session.ts';
import { showError } from '#platform/web/app/showError.ts';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import { QueryState } from '#platform/web/ui/QueryState.tsx';
import { calendarreminder, setcalendarreminder } from '../../contract/exchange.ts';
import styles from './Reminder.module.css';

const REMINDER_KEY = ['calendar', 'reminder'];
export type ReminderSettings = AnswerOf<typeof calendarreminder>;

/** Loads and changes whether and when the morning reminder is sent. */
export function useReminder() {
  const queryClient = useQueryClient();
  const query = useQuery({ queryKey: REMINDER_KEY, queryFn: () => call(calendarreminder, {}) });
  const update = useMutation({
    mutationFn: ({ on, at }: Pick<ReminderSettings, 'on' | 'at'>) => call(setcalendarreminder, { on, at }),
    onSuccess: (answer) => queryClient.setQueryData(REMINDER_KEY, answer),
    onError: showError,
  });
  return { query, update };
}

/** Reads and changes whether this browser is notified. */
export function usePush() {
  const queryClient = useQueryClient();
  const username = useSession()?.username ?? '';
  const key = ['push', username];
  const { data: state } = useQuery({ queryKey: key, queryFn: push.getState, staleTime: 0 });
  const options = {
    onSuccess: (next: Awaited<ReturnType<typeof push.getState>>) => queryClient.setQueryData(key, next),
  };
  const turnOn = useMutation({ mutationFn: push.switchOn, ...options });
  const turnOff = useMutation({ mutationFn: push.switchOff, onError: showError, ...options });
  const sendTest = useMutation({ mutationFn: push.sendTest });
  return { state, turnOn, turnOff, sendTest };
}

interface ReminderSettingProps {
  readonly settings: ReminderSettings;
  readonly onChange: (next: Pick<ReminderSettings, 'on' | 'at'>) => void;
}

function ReminderSetting({ settings: { on, at }, onChange }: ReminderSettingProps) {
  /** A time that is being entered. */
  const [draft, setDraft] = useState<string>();
  function applyDraft(): void {
    setDraft(undefined);
    if (draft !== undefined && draft !== '' && draft !== at) onChange({ on, at: draft });
  }
  return (
    <div className={styles['setting']}>
      <Checkbox
        label="Remind me of events with a pinned tag every morning"
        checked={on}
        onChange={(event) => onChange({ on: event.currentTarget.checked, at })}
      />
      <label className={styles['time']}>
        <span>at</span>
        <input
          type="time"
          required
          aria-label="Reminder time"
          value={draft ?? at}
          disabled={!on}
          onChange={(event) => setDraft(event.currentTarget.value)}
          onBlur={applyDraft}
          onKeyDown={(event) => {
            if (event.key === 'Enter') applyDraft();
          }}
        />
      </label>
    </div>
  );
}

type PushControls = ReturnType<typeof usePush>;

function PushOff({ turnOn }: Pick<PushControls, 'turnOn'>) {
  return (
    <div className={styles['line']}>
      <Button loading={turnOn.isPending} onClick={() => turnOn.mutate()}>
        Turn on notifications
      </Button>
      <small>
        Notifications arrive even when no page is open. Without them, you see pinned events on the first page you open
        each day
      </small>
      {turnOn.error && (
        <p className={styles['error']} role="alert">
          {turnOn.error.message}
        </p>
      )}
    </div>
  );
}

function PushOn({ turnOff, sendTest }: Pick<PushControls, 'turnOff' | 'sendTest'>) {
  return (
    <div className={styles['line']}>
      <span className={styles['enabled']}>Notifications are on in this browser</span>
      <Button loading={sendTest.isPending} onClick={() => sendTest.mutate()}>
        Send test notification
      </Button>
      <Button loading={turnOff.isPending} onClick={() => turnOff.mutate()}>
        Stop
      </Button>
      {sendTest.isSuccess && <small role="status">Sent. It arrives within a few seconds</small>}
      {sendTest.error && (
        <p className={styles['error']} role="alert">
          {sendTest.error.message}
        </p>
      )}
    </div>
  );
}

/** Notifications in this browser. */
function ThisBrowser({ controls: { state, turnOn, turnOff, sendTest } }: { readonly controls: PushControls }) {
  if (state === undefined) return null;
  if (state === 'insecure')
    return (
      <p className={styles['hint']}>
        You see pinned events on the first page you open each day. <HttpsHint>Notifications need https</HttpsHint>
      </p>
    );
  if (state === 'unsupported')
    return (
      <p className={styles['hint']}>
        This browser does not support notifications. On an iPhone, add this page to the Home Screen first. You see
        pinned events on the first page you open each day
      </p>
    );
  if (state === 'blocked')
    return (
      <p className={styles['hint']} role="status">
        This browser blocks notifications from this site. Click the icon to the left of the address, set Notifications
        to Allow, and reload this page
      </p>
    );
  return state === 'on' ? <PushOn turnOff={turnOff} sendTest={sendTest} /> : <PushOff turnOn={turnOn} />;
}

/** The section of the dialog for the reminder of pinned events. */
export function Reminder() {
  const { query, update } = useReminder();
  const controls = usePush();
  const settings = update.isPending && query.data ? { ...query.data, ...update.variables } : query.data;
  return (
    <section aria-labelledby="reminder-title">
      <h3 id="reminder-title">Morning reminder</h3>
      <p className={styles['text']}>One notification with the pinned events of the day</p>
      <QueryState query={query} />
      {settings && <ReminderSetting settings={settings} onChange={(next) => update.mutate(next)} />}
      {settings?.on === true && <ThisBrowser controls={controls} />}
    </section>
  );
}
