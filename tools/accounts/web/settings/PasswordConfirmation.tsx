import { Button, PasswordInput, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Refusal } from '#platform/contract/refusal.ts';
import { Form } from '#platform/web/ui/Form.tsx';
import styles from './AccountPanel.module.css';

/** Shows why a form failed, below its fields. */
export function FormError({ error }: { readonly error: Error | null }) {
  if (error === null) return null;
  return (
    <p className={styles['error']} role="alert">
      <IconAlertTriangle size={15} stroke={1.75} />
      {error.message}
    </p>
  );
}

interface PasswordActionProps {
  readonly title: ReactNode;
  readonly text: ReactNode;
  /** Label of the button that opens the form. */
  readonly openLabel: ReactNode;
  /** Accessible name of that button, if the label alone is not enough. */
  readonly openName?: string;
  /** Another button beside it. */
  readonly beside?: ReactNode;
  /** Label of the button that submits it. */
  readonly confirmLabel: string;
  readonly danger?: boolean;
  /** A name that the user must also enter, for actions that can't be undone. */
  readonly requiredName?: string;
  readonly onConfirm: (password: string, requiredName: string) => Promise<void>;
}

/** A line with a button whose action requires the password. */
export function PasswordAction(props: PasswordActionProps) {
  const { title, text, openLabel, openName, beside, confirmLabel, danger = false, requiredName, onConfirm } = props;
  const [isOpen, setIsOpen] = useState(false);
  const [password, setPassword] = useState('');
  const [name, setName] = useState('');
  const mutation = useMutation({
    mutationFn: async () => {
      if (requiredName !== undefined && name.trim() !== requiredName)
        throw new Refusal('account.name_mismatch', `Type the name of your account: ${requiredName}`);
      if (password === '') throw new Refusal('account.password_empty', 'Enter your password');
      await onConfirm(password, name);
    },
    onSuccess: () => close(),
  });
  function close(): void {
    setIsOpen(false);
    setPassword('');
    setName('');
    mutation.reset();
  }
  return (
    <div className={styles['line']}>
      <span className={styles['details']}>
        <b>{title}</b>
        <small>{text}</small>
      </span>
      {isOpen ? (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the fields within take the key
        <Form
          className={styles['confirmation']}
          onKeyDown={(event) => {
            if (event.key === 'Escape') close();
          }}
          isBusy={mutation.isPending}
          onSubmit={() => mutation.mutate()}
        >
          {requiredName === undefined ? null : (
            <TextInput
              className={styles['field'] ?? ''}
              label={
                <>
                  Type <bdi>{requiredName}</bdi> to confirm
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
            autoFocus={requiredName === undefined}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <span className={styles['actions']}>
            <Button type="submit" className={danger ? (styles['danger'] ?? '') : ''} loading={mutation.isPending}>
              {confirmLabel}
            </Button>
            <Button onClick={close}>Cancel</Button>
          </span>
          <FormError error={mutation.error} />
        </Form>
      ) : (
        <>
          {beside}
          <Button
            className={danger ? (styles['red'] ?? '') : ''}
            {...(openName === undefined ? {} : { 'aria-label': openName })}
            onClick={() => setIsOpen(true)}
          >
            {openLabel}
          </Button>
        </>
      )}
    </div>
  );
}
