import { Button, Checkbox } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { push } from '#platform/web/app/push.ts';
import { useSession } from '#platform/web/app/session.ts';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import { QueryState } from '#platform/web/ui/QueryState.tsx';
import { calendarreminder, setcalendarreminder } from '../../contract/exchange.ts';
import styles from './Reminder.module.css';

const KEY = ['calendar', 'reminder'];
export type ReminderSettings = AnswerOf<typeof calendarreminder>;

/** Loads and changes whether and when the morning reminder is sent. */
export function useReminder() {
  const queries = useQueryClient();
  const query = useQuery({ queryKey: KEY, queryFn: () => call(calendarreminder, {}) });
  const set = useMutation({
    mutationFn: ({ on, at }: Pick<ReminderSettings, 'on' | 'at'>) => call(setcalendarreminder, { on, at }),
    onSuccess: (answer) => queries.setQueryData(KEY, answer),
    onError: showError,
  });
  return { query, set };
}

/** Reads and changes whether this browser is notified. */
export function usePush() {
  const queries = useQueryClient();
  const username = useSession()?.username ?? '';
  const key = ['push', username];
  const { data: state } = useQuery({ queryKey: key, queryFn: push.getState, staleTime: 0 });
  const options = {
    onSuccess: (next: Awaited<ReturnType<typeof push.getState>>) => queries.setQueryData(key, next),
  };
  const on = useMutation({ mutationFn: push.switchOn, ...options });
  const off = useMutation({ mutationFn: push.switchOff, onError: showError, ...options });
  const test = useMutation({ mutationFn: push.sendTest });
  return { state, on, off, test };
}

interface SettingProps {
  readonly reminding: ReminderSettings;
  readonly set: (next: Pick<ReminderSettings, 'on' | 'at'>) => void;
}

function Setting({ reminding: { on, at }, set }: SettingProps) {
  /** A time that is being entered. */
  const [typed, setTyped] = useState<string>();
  const take = (): void => {
    setTyped(undefined);
    if (typed !== undefined && typed !== '' && typed !== at) set({ on, at: typed });
  };
  return (
    <div className={styles['setting']}>
      <Checkbox
        label="Remind me of events with a pinned tag every morning"
        checked={on}
        onChange={(event) => set({ on: event.currentTarget.checked, at })}
      />
      <label className={styles['time']}>
        <span>at</span>
        <input
          type="time"
          required
          aria-label="Reminder time"
          value={typed ?? at}
          disabled={!on}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onBlur={take}
          onKeyDown={(event) => {
            if (event.key === 'Enter') take();
          }}
        />
      </label>
    </div>
  );
}

type PushControls = ReturnType<typeof usePush>;

function Off({ on }: Pick<PushControls, 'on'>) {
  return (
    <div className={styles['line']}>
      <Button loading={on.isPending} onClick={() => on.mutate()}>
        Turn on notifications
      </Button>
      <small>
        Notifications arrive even when no page is open. Without them, you see pinned events on the first page you open
        each day
      </small>
      {on.error && (
        <p className={styles['error']} role="alert">
          {on.error.message}
        </p>
      )}
    </div>
  );
}

function On({ off, test }: Pick<PushControls, 'off' | 'test'>) {
  return (
    <div className={styles['line']}>
      <span className={styles['enabled']}>Notifications are on in this browser</span>
      <Button loading={test.isPending} onClick={() => test.mutate()}>
        Send test notification
      </Button>
      <Button loading={off.isPending} onClick={() => off.mutate()}>
        Stop
      </Button>
      {test.isSuccess && <small role="status">Sent. It arrives within a few seconds</small>}
      {test.error && (
        <p className={styles['error']} role="alert">
          {test.error.message}
        </p>
      )}
    </div>
  );
}

/** The part for this browser. */
function ThisBrowser({ pushing: { state, on, off, test } }: { readonly pushing: PushControls }) {
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
  return state === 'on' ? <On off={off} test={test} /> : <Off on={on} />;
}

/** The section of the dialog for the reminder of pinned events. */
export function Reminder() {
  const { query, set } = useReminder();
  const pushing = usePush();
  const reminding = set.isPending && query.data ? { ...query.data, ...set.variables } : query.data;
  return (
    <section aria-labelledby="reminder-title">
      <h3 id="reminder-title">Morning reminder</h3>
      <p className={styles['text']}>One notification with the pinned events of the day</p>
      <QueryState query={query} />
      {reminding && <Setting reminding={reminding} set={(next) => set.mutate(next)} />}
      {reminding?.on === true && <ThisBrowser pushing={pushing} />}
    </section>
  );
}
