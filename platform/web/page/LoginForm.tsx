import { Button, PasswordInput, TextInput } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Suspense, useEffect, useState, type ReactNode } from 'react';
import { accountClient } from '../app/accountClient.ts';
import { lazyPart } from '../app/lazyPart.ts';
import { openSession } from '../app/openSession.ts';
import type { SecondStep } from '../app/secondStepClient.ts';
import { Form } from '../ui/Form.tsx';
import styles from './LoginForm.module.css';

/** Days that a session from this form lasts (docs/specification/platform.md section 2.2). */
const DAYS = 300;

const SecondStepForm = lazyPart(async () => (await import('./SecondStepForm.tsx')).SecondStepForm);

interface LoginFormProps {
  /** A line below the button. */
  readonly note?: ReactNode;
}

/**
 * Login form within a page. Its session lasts 300 days, and the page follows the session. The form validates nothing;
 * it shows the message of the server (docs/specification/accounts.md section 1.4).
 */
export function LoginForm({ note }: LoginFormProps) {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  useEffect(() => accountClient.prepare(), []);
  const [step, setStep] = useState<SecondStep>();
  const logIn = useMutation({
    mutationFn: () => accountClient.startLogin({ username, password, days: DAYS }),
    onSuccess: (outcome) => {
      if (outcome.secondStep === undefined) openSession({ token: outcome.token, username: outcome.username }, DAYS);
      else setStep(outcome.secondStep);
    },
  });
  if (step !== undefined)
    return (
      <Suspense>
        <SecondStepForm
          step={step}
          days={DAYS}
          className={styles['card'] ?? ''}
          onLogin={(login) => openSession(login, DAYS)}
          onCancel={() => setStep(undefined)}
        />
      </Suspense>
    );
  return (
    <Form
      className={`${styles['card']} surface hung`}
      aria-label="Log in"
      noValidate
      isBusy={logIn.isPending}
      onSubmit={() => logIn.mutate()}
    >
      <h2>Log in</h2>
      <TextInput
        label="Username"
        name="username"
        autoComplete="username"
        value={username}
        onChange={(event) => setUsername(event.currentTarget.value)}
      />
      <PasswordInput
        label="Password"
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <Button type="submit" variant="primary" size="lg" fullWidth disabled={logIn.isPending}>
        {logIn.isPending ? 'Loading...' : 'Submit'}
      </Button>
      <p className={styles['message']} role="alert">
        {logIn.isError ? (
          <>
            <IconAlertCircle size={15} stroke={1.75} />
            <span>{logIn.error.message}</span>
          </>
        ) : null}
      </p>
      {note === undefined ? null : <p className={styles['note']}>{note}</p>}
    </Form>
  );
}
