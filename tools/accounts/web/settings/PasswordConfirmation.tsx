import { Button, PasswordInput, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Refusal } from '#platform/contract/refusal.ts';
import styles from './AccountPanel.module.css';

/** Shows below the fields why a form failed. */
export function FormError({ error }: { readonly error: Error | null }) {
  if (error === null) return null;
  return (
    <p className={styles['error']} role="alert">
      <IconAlertTriangle size={15} stroke={1.75} />
      {error.message}
    </p>
  );
}

interface ConfirmedActionProps {
  readonly title: string;
  readonly text: string;
  /** Label of the button that opens the form. */
  readonly button: ReactNode;
  /** Label of the button that submits it. */
  readonly confirm: string;
  readonly danger?: boolean;
  /** A name that must also be typed, for actions that can't be undone. */
  readonly typed?: string;
  readonly act: (password: string, typed: string) => Promise<void>;
}

/** A line with a button that asks for the password before it acts. */
export function PasswordAct({ title, text, button, confirm, danger = false, typed, act }: ConfirmedActionProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [password, setPassword] = useState('');
  const [name, setName] = useState('');
  const mutation = useMutation({
    mutationFn: async () => {
      if (typed !== undefined && name.trim() !== typed)
        throw new Refusal('account.name_mismatch', `Type the name of your account: ${typed}`);
      if (password === '') throw new Refusal('account.password_empty', 'Enter your password');
      await act(password, name);
    },
    onSuccess: () => close(),
  });
  const close = (): void => {
    setIsOpen(false);
    setPassword('');
    setName('');
    mutation.reset();
  };
  return (
    <div className={styles['line']}>
      <span className={styles['details']}>
        <b>{title}</b>
        <small>{text}</small>
      </span>
      {isOpen ? (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the fields within take the key
        <form
          className={styles['confirmation']}
          onKeyDown={(event) => {
            if (event.key === 'Escape') close();
          }}
          onSubmit={(event) => {
            event.preventDefault();
            if (!mutation.isPending) mutation.mutate();
          }}
        >
          {typed === undefined ? null : (
            <TextInput
              className={styles['field'] ?? ''}
              label={
                <>
                  Type <bdi>{typed}</bdi> to confirm
                </>
              }
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              value={name}
              // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user clicked the button for it
              autoFocus
              onChange={(event) => setName(event.currentTarget.value)}
            />
          )}
          <PasswordInput
            className={styles['field'] ?? ''}
            label="Password"
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show password', tabIndex: 0 }}
            value={password}
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user clicked the button for it
            autoFocus={typed === undefined}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <span className={styles['actions']}>
            <Button type="submit" className={danger ? (styles['danger'] ?? '') : ''} loading={mutation.isPending}>
              {confirm}
            </Button>
            <Button onClick={close}>Cancel</Button>
          </span>
          <FormError error={mutation.error} />
        </form>
      ) : (
        <Button className={danger ? (styles['red'] ?? '') : ''} onClick={() => setIsOpen(true)}>
          {button}
        </Button>
      )}
    </div>
  );
}
