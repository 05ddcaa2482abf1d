import { Button, TextInput } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useState } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { ShownOnce } from '#platform/web/ui/ShownOnce.tsx';
import { moment, shortDate } from '#platform/web/when.ts';
import type { apppasswords } from '../../contract.ts';
import { FormError } from './FormError.tsx';
import { ReadCard } from './ReadCard.tsx';
import { useAppPasswords } from './useAppPasswords.ts';
import account from './AccountPanel.module.css';
import styles from './AppPasswords.module.css';

type AppPassword = AnswerOf<typeof apppasswords>['passwords'][number];

function PasswordLine({ password, onRevoke }: { readonly password: AppPassword; readonly onRevoke: () => void }) {
  const { name, created, lastUsed, address } = password;
  return (
    <li className={account['line']}>
      <IconKey size={18} stroke={1.75} />
      <span className={account['what']}>
        <bdi>{name}</bdi>
        <small className="num">
          made {shortDate(created)},{' '}
          {lastUsed === undefined ? 'not used yet' : `last used ${moment(lastUsed)}, ${address}`}
        </small>
      </span>
      <ConfirmButton size="compact-md" confirm="Confirm Revoke" aria-label={`Revoke ${name}`} onConfirm={onRevoke}>
        Revoke
      </ConfirmButton>
    </li>
  );
}

type Made = ReturnType<typeof useAppPasswords>['make'];

/** Makes one, and shows it this once. */
function MakeForm({ make }: { readonly make: Made }) {
  const [name, setName] = useState('');
  return (
    <form
      className={styles['make']}
      onSubmit={(event) => {
        event.preventDefault();
        if (!make.isPending) make.mutate(name, { onSuccess: () => setName('') });
      }}
    >
      <TextInput
        className={styles['name'] ?? ''}
        label="Name"
        placeholder="Phone"
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" loading={make.isPending}>
        Make app password
      </Button>
      <FormError error={make.error} />
    </form>
  );
}

/** Passwords for programs that ask for a username and a password of their own: calendars of phones, music players. */
export default function AppPasswordsPanel() {
  const { read, make, revoke } = useAppPasswords();
  return (
    <ReadCard title="App passwords" read={read}>
      <p className={styles['text']}>
        For programs that ask for a username and a password, such as the calendar of a phone. They open no page here,
        and all end when the password of the account changes.
      </p>
      <ul className={styles['list']}>
        {read.data?.passwords.map((password) => (
          <PasswordLine key={password.id} password={password} onRevoke={() => revoke.mutate(password.id)} />
        ))}
      </ul>
      {make.data === undefined ? null : (
        <div className={styles['made']}>
          <ShownOnce text={make.data.password} copy="Copy the app password">
            {`The app password “${make.data.name}”. It is shown this once.`}
          </ShownOnce>
        </div>
      )}
      <MakeForm make={make} />
    </ReadCard>
  );
}
