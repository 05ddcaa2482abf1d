import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { CallError } from '#platform/contract/client.ts';
import type { SignupRule } from '#platform/contract/session.ts';
import { accountClient } from '#platform/web/app/accountClient.ts';
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { openSession } from '#platform/web/app/openSession.ts';
import { BareHeader } from '#platform/web/page/BareHeader.tsx';
import { NoticeStack } from '#platform/web/page/NoticeStack.tsx';
import { PageButton } from '#platform/web/page/PageLink.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import {
  CapsLockHint,
  LoginError,
  StayLoggedIn,
  showNoAnswerAlert,
  getSessionDays,
  useCapsLock,
} from './LoginFields.tsx';
import styles from './Auth.module.css';

/**
 * Returns the set-up code of the printed address (`/signup#setup=…`) or the secret of an invitation
 * (`/signup#invitation=…`), and removes it from the browser history. What follows `#` is in no log of a server.
 */
export function takeFromAddress(name: 'setup' | 'invitation'): string | undefined {
  const value = new URLSearchParams(location.hash.slice(1)).get(name);
  if (value === null) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return value;
}

interface SignupRuleHintProps {
  readonly rule: SignupRule;
  readonly isInvited: boolean;
}

/** Says who may sign up, unless everybody may. */
function SignupRuleHint({ rule, isInvited }: SignupRuleHintProps) {
  if (rule === 'open') return null;
  if (rule === 'closed') return <p className={styles['hint']}>The owner of this server has closed sign-up</p>;
  return (
    <p className={styles['hint']}>
      {isInvited
        ? 'You are invited. Choose a username and a password'
        : 'You need an invitation to sign up here. Ask the owner of this server for a link, and open it'}
    </p>
  );
}

const COOKIE_DAYS = 7;

interface SignupFields {
  readonly username: string;
  readonly password: string;
  readonly confirmation: string;
}
type FieldName = keyof SignupFields;

/** Returns the first problem of the form with its fields (docs/specification/accounts.md section 4.2). */
function findProblem(fields: SignupFields): { text: string; fields: readonly FieldName[] } | undefined {
  const { username, password, confirmation } = fields;
  if (username === '') return { text: 'Enter a username', fields: ['username'] };
  if (password === '') return { text: 'Enter a password', fields: ['password'] };
  if (password !== confirmation) return { text: 'Passwords do not match', fields: ['password', 'confirmation'] };
  return undefined;
}

export default function SignupPage() {
  const navigateTo = useNavigateTo();
  const errorId = useId();
  const [fields, setFields] = useState<SignupFields>({ username: '', password: '', confirmation: '' });
  const [staysLoggedIn, setStaysLoggedIn] = useState(false);
  const [problem, setProblem] = useState<{ readonly text: string; readonly fields: readonly FieldName[] }>();
  const [setupCode, setSetupCode] = useState(() => takeFromAddress('setup'));
  const [invitation, setInvitation] = useState(() => takeFromAddress('invitation'));
  useEffect(() => {
    // Opening a link in a tab that already shows this page only changes the hash.
    function handleHashChange(): void {
      setSetupCode((current) => takeFromAddress('setup') ?? current);
      setInvitation((current) => takeFromAddress('invitation') ?? current);
    }
    addEventListener('hashchange', handleHashChange);
    return () => removeEventListener('hashchange', handleHashChange);
  }, []);
  const capsLock = useCapsLock();
  const server = useQuery({ queryKey: ['serverinfo'], queryFn: accountClient.fetchServerInfo });
  const needsCode = server.data?.needsSetupCode === true || setupCode !== undefined;

  const signUp = useMutation({
    mutationFn: () =>
      accountClient.signUp({
        username: fields.username,
        password: fields.password,
        days: getSessionDays(staysLoggedIn, COOKIE_DAYS),
        ...(setupCode === undefined ? {} : { setupCode: setupCode.trim() }),
        ...(invitation === undefined ? {} : { invitation }),
      }),
    onSuccess: ({ token, username }) => {
      openSession({ token, username }, staysLoggedIn ? COOKIE_DAYS : undefined);
      navigateTo('/pagerouter');
    },
    onError: (error) => {
      if (error instanceof CallError && error.status === 0) showNoAnswerAlert(error);
      else setProblem({ text: error.message, fields: [] });
    },
  });
  function handleSubmit(): void {
    const nextProblem = findProblem(fields);
    setProblem(nextProblem);
    if (!nextProblem) signUp.mutate();
  }
  const getFieldProps = (name: FieldName) => ({
    value: fields[name],
    onChange: (event: { readonly currentTarget: HTMLInputElement }) => {
      const { value } = event.currentTarget;
      setFields((current) => ({ ...current, [name]: value }));
    },
    onFocus: (event: { readonly currentTarget: HTMLInputElement }) => event.currentTarget.select(),
    ...(problem?.fields.includes(name)
      ? { 'aria-invalid': true, 'aria-describedby': errorId, classNames: { wrapper: styles['invalid'] ?? '' } }
      : {}),
  });

  return (
    <div className={styles['page']}>
      <BareHeader />
      <main className={styles['main']}>
        <Form
          className={`${styles['card']} surface hung`}
          data-bad={problem ? true : undefined}
          noValidate
          isBusy={signUp.isPending}
          onSubmit={handleSubmit}
        >
          <h1>Sign up</h1>
          <TextInput label="Username" name="username" autoComplete="username" {...getFieldProps('username')} />
          <PasswordInput
            label="password"
            name="password"
            autoComplete="new-password"
            {...getFieldProps('password')}
            {...capsLock.listeners}
          />
          <PasswordInput
            label="confirm password"
            name="confirmation"
            autoComplete="new-password"
            {...getFieldProps('confirmation')}
            {...capsLock.listeners}
          />
          <CapsLockHint isOn={capsLock.isOn} />
          {needsCode && (
            <TextInput
              label="Set-up code"
              description="The server printed this code at startup. The first account needs it"
              autoComplete="off"
              value={setupCode ?? ''}
              onChange={(event) => setSetupCode(event.currentTarget.value)}
            />
          )}
          {server.data?.hasOwner === true && (
            <SignupRuleHint rule={server.data.signupRule} isInvited={invitation !== undefined} />
          )}
          <StayLoggedIn checked={staysLoggedIn} onChange={setStaysLoggedIn} days={COOKIE_DAYS} />
          <Button type="submit" variant="primary" size="lg" fullWidth loading={signUp.isPending}>
            Sign up
          </Button>
          {problem && <LoginError message={problem.text} id={errorId} />}
          <p className={styles['other']}>
            <PageButton to="/login" variant="subtle">
              Log in instead
            </PageButton>
          </p>
        </Form>
        <div className={styles['notices']}>
          <NoticeStack inPage />
        </div>
      </main>
    </div>
  );
}
