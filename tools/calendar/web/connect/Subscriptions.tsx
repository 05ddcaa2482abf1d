import { Button, TextInput } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, useEffect, useLayoutEffect, useRef } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/showError.ts';
import { useNow } from '#platform/web/browser/useNow.ts';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { NameForm } from '#platform/web/ui/NameForm.tsx';
import { QueryState } from '#platform/web/ui/QueryState.tsx';
import { MAX_TAG_LENGTH } from '../../contract/events.ts';
import {
  calendarsubscriptions,
  changesubscription,
  refreshsubscription,
  subscribecalendar,
  unsubscribecalendar,
} from '../../contract/exchange.ts';
import { queryKeys } from '../selection.ts';
import { Warnings } from './Import.tsx';
import styles from './Subscriptions.module.css';

/** Formats `just now`, `12 min ago`, `3 h ago`, `2 days ago`. `when` is ISO, `now` milliseconds since the epoch. */
export function formatAge(when: string, now: number): string {
  const ms = now - Date.parse(when);
  if (ms < MINUTE_MS) return 'just now';
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`;
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h ago`;
  return `${Math.floor(ms / DAY_MS)} days ago`;
}

type SubscriptionActions = Pick<ReturnType<typeof useSubscriptions>, 'change' | 'refresh' | 'remove'>;

interface SubscriptionColourProps {
  readonly subscription: Subscription;
  readonly onChange: (colour: string) => void;
}

/** The browser's colour picker. It fires `input` for every colour on the way, so only `change` is saved. */
function SubscriptionColour({ subscription: { name, colour }, onChange }: SubscriptionColourProps) {
  const field = useRef<HTMLInputElement>(null);
  const latestOnChange = useRef(onChange);
  useLayoutEffect(() => {
    latestOnChange.current = onChange;
  });
  useEffect(() => {
    const input = field.current;
    function handleChange(): void {
      if (input) latestOnChange.current(input.value);
    }
    input?.addEventListener('change', handleChange);
    return () => input?.removeEventListener('change', handleChange);
  }, []);
  return (
    <input
      ref={field}
      type="color"
      className={styles['colour']}
      aria-label={`Colour of ${name}`}
      title={`Colour of ${name}`}
      defaultValue={colour.toLowerCase()}
    />
  );
}

const formatEventCount = (events: number): string =>
  events === 1 ? '1 event' : `${events.toLocaleString('en')} events`;

interface SubscriptionRowProps {
  readonly subscription: Subscription;
  readonly actions: SubscriptionActions;
  readonly now: number;
}

/** A subscribed calendar with its state and actions. */
export function SubscriptionRow({ subscription, actions: { change, refresh, remove }, now }: SubscriptionRowProps) {
  const { id, name, address, events, refreshed, problem, warnings } = subscription;
  const [isRenaming, setIsRenaming] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  function close(): void {
    setIsRenaming(false);
    // The field that had the focus is gone.
    setTimeout(() => button.current?.focus());
  }
  const isRefreshing = refresh.isPending && refresh.variables === id;
  const updatedText = refreshed === undefined ? 'Not updated yet' : `Updated ${formatAge(refreshed, now)}`;
  return (
    <li className={styles['row']}>
      <SubscriptionColour
        // A new colour from the server resets the picker. A colour that is being selected here stays.
        key={subscription.colour}
        subscription={subscription}
        onChange={(colour) => change.mutate({ id, colour })}
      />
      <div className={styles['details']}>
        {isRenaming ? (
          <NameForm
            name={name}
            maxLength={MAX_TAG_LENGTH}
            onRename={(next) => change.mutate({ id, name: next })}
            onClose={close}
          />
        ) : (
          <strong dir="auto">{name}</strong>
        )}
        <small className="num">
          {formatEventCount(events)} · {updatedText}
        </small>
        <small className={styles['address']} title={address}>
          {address}
        </small>
        {problem !== undefined && (
          <p className={styles['problem']}>
            <span>{problem}</span>
            <Button
              size="compact-md"
              loading={isRefreshing}
              aria-label={`Try again to update ${name}`}
              onClick={() => refresh.mutate(id)}
            >
              Try again
            </Button>
          </p>
        )}
        <Warnings warnings={warnings} />
      </div>
      {isRenaming ? null : (
        <span className={styles['actions']}>
          <IconButton ref={button} label={`Rename ${name}`} onClick={() => setIsRenaming(true)}>
            <IconPencil size={18} stroke={1.75} />
          </IconButton>
          <ConfirmButton
            size="compact-md"
            confirmLabel="Confirm Remove"
            aria-label={`Remove ${name}`}
            disabled={remove.isPending && remove.variables === id}
            onConfirm={() => remove.mutate(id)}
          >
            Remove
          </ConfirmButton>
        </span>
      )}
    </li>
  );
}

export type Subscription = AnswerOf<typeof calendarsubscriptions>['subscriptions'][number];

/** Loads and changes the subscribed calendars. Their events on the page are refreshed by server events. */
export function useSubscriptions() {
  const queryClient = useQueryClient();
  const invalidate = (): Promise<void> => queryClient.invalidateQueries({ queryKey: queryKeys.all });
  const query = useQuery({ queryKey: queryKeys.subscriptions, queryFn: () => call(calendarsubscriptions, {}) });
  const add = useMutation({
    mutationFn: (address: string) => call(subscribecalendar, { address }),
    onSuccess: invalidate,
  });
  const change = useMutation({
    mutationFn: (changes: { readonly id: number; readonly name?: string; readonly colour?: string }) =>
      call(changesubscription, changes),
    onSuccess: invalidate,
    onError: showError,
  });
  const refresh = useMutation({
    mutationFn: (id: number) => call(refreshsubscription, { id }),
    onSuccess: invalidate,
    onError: showError,
  });
  const remove = useMutation({
    mutationFn: (id: number) => call(unsubscribecalendar, { id }),
    onSuccess: invalidate,
    onError: showError,
  });
  return { query, add, change, refresh, remove };
}

const REFRESH_INTERVAL_MS = 20_000;

function AddSubscription({ add }: Pick<ReturnType<typeof useSubscriptions>, 'add'>) {
  const [address, setAddress] = useState('');
  return (
    <Form
      className={styles['add']}
      onSubmit={() => {
        if (address.trim() !== '' && !add.isPending) add.mutate(address, { onSuccess: () => setAddress('') });
      }}
    >
      <TextInput
        classNames={{ root: styles['field'] ?? '', error: styles['error'] ?? '' }}
        label="Calendar address"
        placeholder="webcal:// or https:// …"
        type="text"
        inputMode="url"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        maxLength={2000}
        value={address}
        error={add.error?.message}
        onChange={(event) => {
          setAddress(event.currentTarget.value);
          if (add.error) add.reset();
        }}
      />
      <Button type="submit" loading={add.isPending} disabled={address.trim() === ''}>
        Subscribe
      </Button>
    </Form>
  );
}

/** The section of the dialog for subscribed calendars. */
export function Subscriptions() {
  const { query, add, ...actions } = useSubscriptions();
  const now = useNow(REFRESH_INTERVAL_MS);
  const subscriptions = query.data?.subscriptions ?? [];
  return (
    <section aria-labelledby="subscriptions-title">
      <h3 id="subscriptions-title">Subscribed calendars</h3>
      <p className={styles['text']}>
        Add calendars such as public holidays or a club. They are updated every hour, appear next to your own events and
        can't be changed here
      </p>
      <QueryState query={query} />
      {subscriptions.length > 0 && (
        <ul className={styles['list']} aria-label="Subscribed calendars">
          {subscriptions.map((subscription) => (
            <SubscriptionRow key={subscription.id} subscription={subscription} actions={actions} now={now} />
          ))}
        </ul>
      )}
      <AddSubscription add={add} />
    </section>
  );
}
