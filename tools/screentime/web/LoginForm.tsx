import { Button, PasswordInput, TextInput } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState, type SyntheticEvent } from 'react';
import { account } from '#platform/web/account.ts';
import { notices } from '#platform/web/notices.ts';
import { session } from '#platform/web/session.ts';
import styles from './LoginForm.module.css';

/** How long the cookie lasts that a login in place keeps (specification 2, sections 4 and 9). */
const COOKIE_DAYS = 300;

/** The login form that stands in a page's place where there is no token: its session stays for 300 days. */
export function LoginForm() {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  useEffect(() => account.prepare(), []);
  const logIn = useMutation({
    mutationFn: () => account.logIn({ username, password, days: COOKIE_DAYS }),
    onSuccess: (opened) => {
      if (!session.open({ token: opened.token, username: opened.username }, COOKIE_DAYS))
        notices.add('bad', 'This browser kept no cookie, so the login ends with this page.');
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!logIn.isPending) logIn.mutate();
  };
  return (
    <div className={styles['place']}>
      <form className={`${styles['card']} hung`} data-bad={logIn.isError || undefined} noValidate onSubmit={submit}>
        <h2>Log in</h2>
        <TextInput
          label="Username"
          name="username"
          autoComplete="username"
          value={username}
          onChange={({ currentTarget }) => setUsername(currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        />
        <Button type="submit" variant="primary" size="lg" fullWidth disabled={logIn.isPending}>
          {logIn.isPending ? 'Loading...' : 'Submit'}
        </Button>
        {logIn.error ? (
          <p className={styles['error']} role="alert">
            <IconAlertCircle size={15} stroke={1.75} />
            <span>{logIn.error.message}</span>
          </p>
        ) : null}
        <p className={styles['joke']}>Styling this form is on the list. It is a long list.</p>
      </form>
    </div>
  );
}
