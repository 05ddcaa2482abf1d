import { Button } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { NameForm } from '#platform/web/ui/NameForm.tsx';
import { TAG_LIMIT } from '../../contract/events.ts';
import { ago } from './ago.ts';
import type { Subscription, useSubscriptions } from './useSubscriptions.ts';
import { Warnings } from './Warnings.tsx';
import styles from './Subscriptions.module.css';

type SubscriptionActions = Pick<ReturnType<typeof useSubscriptions>, 'change' | 'refresh' | 'remove'>;

interface ColourProps {
  readonly subscription: Subscription;
  readonly choose: (colour: string) => void;
}

/** The browser's own field for colours. It tells every colour on the way; the one that is kept is that of its `change`. */
function Colour({ subscription: { name, colour }, choose }: ColourProps) {
  const field = useRef<HTMLInputElement>(null);
  const chosen = useRef(choose);
  useLayoutEffect(() => {
    chosen.current = choose;
  });
  useEffect(() => {
    const input = field.current;
    const take = (): void => {
      if (input) chosen.current(input.value);
    };
    input?.addEventListener('change', take);
    return () => input?.removeEventListener('change', take);
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

const countWords = (events: number): string => (events === 1 ? '1 event' : `${events.toLocaleString('en')} events`);

interface RowProps {
  readonly subscription: Subscription;
  readonly acts: SubscriptionActions;
  readonly now: number;
}

/** One subscribed calendar: what it is, how it goes, and what can be done with it. */
export function SubscriptionRow({ subscription, acts: { change, refresh, remove }, now }: RowProps) {
  const { id, name, address, events, refreshed, problem, warnings } = subscription;
  const [renaming, setRenaming] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setRenaming(false);
    // The field that had the focus is gone.
    setTimeout(() => button.current?.focus());
  };
  const isTrying = refresh.isPending && refresh.variables === id;
  const read = refreshed === undefined ? 'Not read yet' : `Read ${ago(refreshed, now)}`;
  return (
    <li className={styles['row']}>
      <Colour
        // Another colour from elsewhere makes it anew; one that is being chosen here stays.
        key={subscription.colour}
        subscription={subscription}
        choose={(colour) => change.mutate({ id, colour })}
      />
      <div className={styles['what']}>
        {renaming ? (
          <NameForm
            name={name}
            maxLength={TAG_LIMIT}
            onRename={(next) => change.mutate({ id, name: next })}
            onClose={close}
          />
        ) : (
          <strong dir="auto">{name}</strong>
        )}
        <small className="num">
          {countWords(events)} · {read}
        </small>
        <small className={styles['address']} title={address}>
          {address}
        </small>
        {problem !== undefined && (
          <p className={styles['problem']}>
            <span>{problem}</span>
            <Button
              size="compact-md"
              loading={isTrying}
              aria-label={`Try again to read ${name}`}
              onClick={() => refresh.mutate(id)}
            >
              Try again
            </Button>
          </p>
        )}
        <Warnings warnings={warnings} />
      </div>
      {renaming ? null : (
        <span className={styles['acts']}>
          <IconButton ref={button} label={`Rename ${name}`} onClick={() => setRenaming(true)}>
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
