import { Button, PasswordInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Refusal } from '#platform/contract/refusal.ts';
import { FormError } from './FormError.tsx';
import styles from './AccountPanel.module.css';

interface PasswordActProps {
  readonly title: string;
  readonly text: string;
  /** On the button that opens the form. */
  readonly button: ReactNode;
  /** On the button that does it. */
  readonly confirm: string;
  readonly danger?: boolean;
  readonly act: (password: string) => Promise<void>;
}

/** A line with a button that asks the password before it acts. */
export function PasswordAct({ title, text, button, confirm, danger = false, act }: PasswordActProps) {
  const [asking, setAsking] = useState(false);
  const [password, setPassword] = useState('');
  const doing = useMutation({
    mutationFn: async () => {
      if (password === '') throw new Refusal('Enter the password');
      await act(password);
    },
    onSuccess: () => close(),
  });
  const close = (): void => {
    setAsking(false);
    setPassword('');
    doing.reset();
  };
  return (
    <div className={styles['line']}>
      <span className={styles['what']}>
        <b>{title}</b>
        <small>{text}</small>
      </span>
      {asking ? (
        <form
          className={styles['ask']}
          onSubmit={(event) => {
            event.preventDefault();
            if (!doing.isPending) doing.mutate();
          }}
        >
          <PasswordInput
            onKeyDown={(event) => {
              if (event.key === 'Escape') close();
            }}
            label="Password"
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show password', tabIndex: 0 }}
            value={password}
            // The click on the button asked for it.
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <span className={styles['acts']}>
            <Button type="submit" className={danger ? (styles['danger'] ?? '') : ''} loading={doing.isPending}>
              {confirm}
            </Button>
            <Button onClick={close}>Cancel</Button>
          </span>
          <FormError error={doing.error} />
        </form>
      ) : (
        <Button className={danger ? (styles['red'] ?? '') : ''} onClick={() => setAsking(true)}>
          {button}
        </Button>
      )}
    </div>
  );
}
