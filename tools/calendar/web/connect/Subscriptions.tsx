import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { SubscriptionRow } from './SubscriptionRow.tsx';
import { useNow, useSubscriptions } from './useSubscriptions.ts';
import styles from './Subscriptions.module.css';

function Add({ add }: Pick<ReturnType<typeof useSubscriptions>, 'add'>) {
  const [address, setAddress] = useState('');
  return (
    <form
      className={styles['add']}
      onSubmit={(event) => {
        event.preventDefault();
        if (address.trim() !== '' && !add.isPending) add.mutate(address, { onSuccess: () => setAddress('') });
      }}
    >
      <TextInput
        classNames={{ root: styles['field'] ?? '', error: styles['error'] ?? '' }}
        label="Address of a calendar"
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
    </form>
  );
}

/** The part of the dialog for subscribed calendars. */
export function Subscriptions() {
  const { query, add, ...acts } = useSubscriptions();
  const now = useNow();
  const all = query.data?.subscriptions ?? [];
  return (
    <section aria-labelledby="subscriptions-title">
      <h3 id="subscriptions-title">Subscribed calendars</h3>
      <p className={styles['text']}>
        Holidays, a club, a calendar elsewhere: read every hour, shown beside your own events, and not changed from
        here.
      </p>
      {query.error && !query.data && (
        <p className={styles['problem']} role="alert">
          <span>{query.error.message}</span>
          <Button size="compact-md" onClick={() => void query.refetch()}>
            Try again
          </Button>
        </p>
      )}
      {all.length > 0 && (
        <ul className={styles['list']} aria-label="Subscribed calendars">
          {all.map((subscription) => (
            <SubscriptionRow key={subscription.id} subscription={subscription} acts={acts} now={now} />
          ))}
        </ul>
      )}
      <Add add={add} />
    </section>
  );
}
