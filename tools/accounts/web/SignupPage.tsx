import { Button, PasswordInput, TextInput } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useId, useState, type SyntheticEvent } from 'react';
import { CallError } from '#platform/contract/client.ts';
import { accountClient } from '#platform/web/app/account.ts';
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { openSession } from '#platform/web/app/openSession.ts';
import { BareHeader } from '#platform/web/page/BareHeader.tsx';
import { NoticeStack } from '#platform/web/page/NoticeStack.tsx';
import { PageButton } from '#platform/web/page/PageLink.tsx';
import { CapsLockHint, StayLoggedIn, alertNoAnswer, daysAsked, useCapsLock } from './LoginFields.tsx';
import styles from './Auth.module.css';

/** Takes the set-up code out of the address, where the server's first start printed it (`/signup#setup=…`): it shall not stay in the history. */
export function takeSetupCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('setup');
  if (code === null) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}

const STAY_DAYS = 7;

interface SignupFields {
  readonly username: string;
  readonly password: string;
  readonly confirmation: string;
}
type At = keyof SignupFields;

/** What is wrong with the form and at which fields (specification 1, section 5). */
const whatIsWrong = ({
  username,
  password,
  confirmation,
}: SignupFields): { text: string; at: readonly At[] } | undefined => {
  if (username === '') return { text: 'Enter a username', at: ['username'] };
  if (password === '') return { text: 'Enter a password', at: ['password'] };
  if (password !== confirmation) return { text: 'Passwords do not match', at: ['password', 'confirmation'] };
  return undefined;
};

export default function SignupPage() {
  const go = useNavigateTo();
  const errorId = useId();
  const [wanted, setWanted] = useState<SignupFields>({ username: '', password: '', confirmation: '' });
  const [stay, setStay] = useState(false);
  const [wrong, setWrong] = useState<{ readonly text: string; readonly at: readonly At[] }>();
  const [setupCode, setSetupCode] = useState(takeSetupCode);
  const caps = useCapsLock();
  const server = useQuery({ queryKey: ['serverinfo'], queryFn: accountClient.fetchServerInfo });
  const asksCode = server.data?.needsSetupCode === true || setupCode !== undefined;

  const signUp = useMutation({
    mutationFn: () =>
      accountClient.signUp({
        username: wanted.username,
        password: wanted.password,
        days: daysAsked(stay, STAY_DAYS),
        ...(setupCode === undefined ? {} : { setupCode: setupCode.trim() }),
      }),
    onSuccess: ({ token, username }) => {
      openSession({ token, username }, stay ? STAY_DAYS : undefined);
      go('/pagerouter');
    },
    onError: (error) => {
      if (error instanceof CallError && error.status === 0) alertNoAnswer(error);
      else setWrong({ text: error.message, at: [] });
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (signUp.isPending) return;
    const found = whatIsWrong(wanted);
    setWrong(found);
    if (!found) signUp.mutate();
  };
  const field = (at: At) => ({
    value: wanted[at],
    onChange: (event: { readonly currentTarget: HTMLInputElement }) => {
      const { value } = event.currentTarget;
      setWanted((before) => ({ ...before, [at]: value }));
    },
    onFocus: (event: { readonly currentTarget: HTMLInputElement }) => event.currentTarget.select(),
    ...(wrong?.at.includes(at)
      ? { 'aria-invalid': true, 'aria-describedby': errorId, classNames: { wrapper: styles['bad'] ?? '' } }
      : {}),
  });

  return (
    <div className={styles['page']}>
      <BareHeader />
      <main className={styles['main']}>
        <form className={`${styles['card']} hung`} data-bad={wrong ? true : undefined} noValidate onSubmit={submit}>
          <h1>Sign up</h1>
          <TextInput label="Username" name="username" autoComplete="username" {...field('username')} />
          <PasswordInput
            label="password"
            name="password"
            autoComplete="new-password"
            {...field('password')}
            {...caps.listeners}
          />
          <PasswordInput
            label="confirm password"
            name="confirmation"
            autoComplete="new-password"
            {...field('confirmation')}
            {...caps.listeners}
          />
          <CapsLockHint on={caps.on} />
          {asksCode && (
            <TextInput
              label="Set-up code"
              description="The server showed it when it started; the first account needs it."
              autoComplete="off"
              value={setupCode ?? ''}
              onChange={(event) => setSetupCode(event.currentTarget.value)}
            />
          )}
          {server.data?.signupOpen === false && (
            <p className={styles['hint']}>The owner of this server has closed sign-up.</p>
          )}
          <StayLoggedIn checked={stay} onChange={setStay} days={STAY_DAYS} />
          <Button type="submit" variant="primary" size="lg" fullWidth loading={signUp.isPending}>
            Sign up
          </Button>
          {wrong && (
            <p className={styles['error']} id={errorId} role="alert">
              <IconAlertCircle size={15} stroke={1.75} />
              <span>{wrong.text}</span>
            </p>
          )}
          <p className={styles['other']}>
            <PageButton to="/login" variant="subtle">
              Log in instead
            </PageButton>
          </p>
        </form>
        <div className={styles['notices']}>
          <NoticeStack inPage />
        </div>
      </main>
    </div>
  );
}
