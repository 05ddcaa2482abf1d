import { Button, PasswordInput, TextInput } from '@mantine/core';
import { IconCheck, IconLock } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState, useRef, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import { CallError } from '#platform/contract/client.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { accountClient } from '#platform/web/app/accountClient.ts';
import { getReturnPath, findPage, useNavigateTo } from '#platform/web/app/navigation.ts';
import { notices } from '#platform/web/app/notices.ts';
import { openSession } from '#platform/web/app/openSession.ts';
import { session, useSession, type Session } from '#platform/web/app/session.ts';
import { showError, showRepeatingError } from '#platform/web/app/showError.ts';
import { useWebSite } from '#platform/web/app/site.ts';
import { useUsername } from '#platform/web/app/useUsername.ts';
import { BareHeader } from '#platform/web/page/BareHeader.tsx';
import { NoticeStack } from '#platform/web/page/NoticeStack.tsx';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import type { WebPage } from '#platform/web/tool.ts';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { Dropdown } from '#platform/web/ui/Dropdown.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import {
  CapsLockHint,
  LoginError,
  StayLoggedIn,
  showNoAnswerAlert,
  getSessionDays,
  useCapsLock,
} from './LoginFields.tsx';
import {
  FinishSignOn,
  PasskeyOption,
  SecondStepCard,
  SignOnOption,
  takeSignOnResponse,
  useSignOnProvider,
  type LoginStep,
} from './LoginOptions.tsx';
import type { SignOnOutcome } from './SignOn.tsx';
import styles from './Auth.module.css';

const ignore = (): void => undefined;

/** Shows why a stored login could not be checked, and ends a refused one. Returns a function to dismiss the notice. */
export function showLoginFailure(error: Error): () => void {
  // An invalid token has already ended the session and shown its notice.
  if (session.getCurrent() === undefined) return ignore;
  if (!(error instanceof Refusal)) return showRepeatingError(error);
  session.expire();
  showError(error);
  return ignore;
}

/** Returns the username of a stored token. Entering another name or password does not end its session. */
export function useStoredLogin(): string | undefined {
  const { username, error } = useUsername();
  const current = useSession();
  const isChecking = current?.username === '';
  const shownNotice = useRef({ message: '', dismiss: ignore });
  useEffect(() => {
    if (!error) return;
    if (error.message !== shownNotice.current.message) shownNotice.current.dismiss();
    shownNotice.current = { message: error.message, dismiss: showLoginFailure(error) };
  }, [error]);
  // A separate effect, because the error is empty between two attempts, and the notice would be created again.
  useEffect(() => (isChecking ? () => shownNotice.current.dismiss() : undefined), [isChecking]);
  return current === undefined ? undefined : username;
}

/** Options of the dropdown 'More pages' (docs/specification/accounts.md section 1.2). */
export const destinations: readonly { readonly value: string; readonly label: string }[] = [
  { value: 'calendarv2', label: 'calendarv2' },
  { value: 'graphy', label: 'graphy' },
  { value: 'sleepstatus', label: 'sleepstatus' },
  { value: 'graphyv2', label: 'graphyv2' },
  { value: 'timetable', label: 'timetable' },
  { value: 'spmessage', label: 'spmessage' },
  { value: 'stopwatch', label: 'stopwatch' },
  { value: 'pastebin', label: 'pastebin' },
  { value: 'catsmmod', label: 'App category modder' },
  { value: 'dashboard', label: 'Remote access client' },
  { value: 'pagerouter', label: 'Page router' },
];

export const DEFAULT_PATH = '/pagerouter';

/** Returns the label of a path in the dropdown, or else the title of its page. */
export function getPathName(path: string, pages: readonly WebPage[]): string {
  const value = path.slice(1);
  const destination = destinations.find((option) => option.value === value);
  return destination?.label ?? findPage(pages, path)?.title ?? value;
}

const COOKIE_DAYS = 30;
/** Shown in the password field while a stored token counts as the login. */
const MASKED_PASSWORD = '••••••••••••';
const shortcuts = [
  { path: '/shopplanner', label: 'Go to shop planner' },
  { path: '/calendar', label: 'Go to calendar' },
  { path: '/mixer', label: 'Go to sound mixer' },
];

/** Shows why a login failed: in an alert if there was no answer, otherwise below the form. */
function handleLoginError(error: Error, showMessage: (message: string) => void): void {
  if (error instanceof CallError && error.status === 0) showNoAnswerAlert(error);
  else showMessage(error.message);
}

/** Children that are only there under a condition. */
function ConditionalPart({ condition, children }: { readonly condition: boolean; readonly children: ReactNode }) {
  return condition ? children : null;
}

interface LoginMessageProps {
  /** Empty if there was none. */
  readonly errorMessage: string;
  readonly pathName: string;
}

/** What went wrong, or else what the login opens. */
function LoginMessage({ errorMessage, pathName }: LoginMessageProps) {
  if (errorMessage !== '') return <LoginError message={errorMessage} />;
  return <p className={styles['destination']}>opens {pathName}</p>;
}

export default function LoginPage() {
  const navigateTo = useNavigateTo();
  const { pages } = useWebSite();
  const storedUsername = useStoredLogin();
  const [typedFields, setTypedFields] = useState<{ readonly username?: string; readonly password?: string }>({});
  const [staysLoggedIn, setStaysLoggedIn] = useState(false);
  const [isIncomplete, setIsIncomplete] = useState(false);
  const [errorMessage, setErrorMessage] = useState('');
  const location = useLocation();
  const [path, setPath] = useState(() => getReturnPath(location.state) ?? DEFAULT_PATH);
  const capsLock = useCapsLock();
  useEffect(() => accountClient.prepare(), []);

  // Entering another name or password means a new login.
  const isLoggedIn =
    storedUsername !== undefined && typedFields.username === undefined && typedFields.password === undefined;
  const username = typedFields.username ?? storedUsername ?? '';
  const password = typedFields.password ?? (isLoggedIn ? MASKED_PASSWORD : '');

  const days = getSessionDays(staysLoggedIn, COOKIE_DAYS);
  const { provider, showsPassword, showPassword } = useSignOnProvider(isLoggedIn);
  const [secondStep, setSecondStep] = useState<LoginStep>();
  const [signOnResponse, setSignOnResponse] = useState(takeSignOnResponse);
  function handleSignOn(outcome: SignOnOutcome): void {
    setSignOnResponse(undefined);
    const destinationPath = outcome.path ?? DEFAULT_PATH;
    const stays = outcome.days !== undefined && outcome.days > 1;
    setStaysLoggedIn(stays);
    if (outcome.secondStep !== undefined) setSecondStep({ ...outcome.secondStep, path: destinationPath });
    if (outcome.session !== undefined) {
      openSession(outcome.session, stays ? COOKIE_DAYS : undefined);
      navigateTo(destinationPath);
    }
    if (outcome.isLinked === true) {
      notices.add('good', 'Your account is linked');
      if (session.getCurrent() !== undefined) navigateTo(destinationPath);
    }
  }
  function completeLogin(login: Session, destinationPath: string): void {
    openSession(login, staysLoggedIn ? COOKIE_DAYS : undefined);
    navigateTo(destinationPath);
  }
  const logIn = useMutation({
    mutationFn: (_path: string) => accountClient.startLogin({ username, password, days }),
    onSuccess: (outcome, destinationPath) => {
      if (outcome.secondStep !== undefined) setSecondStep({ ...outcome.secondStep, path: destinationPath });
      else completeLogin({ token: outcome.token, username: outcome.username }, destinationPath);
    },
    onError: (error) => handleLoginError(error, setErrorMessage),
  });
  function openPath(destinationPath: string): void {
    if (isLoggedIn) {
      navigateTo(destinationPath);
      return;
    }
    const isEmpty = username === '' || password === '';
    setIsIncomplete(isEmpty);
    setErrorMessage('');
    if (!isEmpty && !logIn.isPending) logIn.mutate(destinationPath);
  }
  const getFieldProps = (name: 'username' | 'password', value: string) => ({
    value,
    onChange: (event: { readonly currentTarget: HTMLInputElement }) => {
      const { value: text } = event.currentTarget;
      setTypedFields((current) => ({ ...current, [name]: text }));
    },
    onFocus: (event: { readonly currentTarget: HTMLInputElement }) => event.currentTarget.select(),
    ...(isIncomplete && value === '' ? { 'aria-invalid': true, classNames: { wrapper: styles['invalid'] ?? '' } } : {}),
  });
  const options = destinations.map(({ value, label }) => {
    const page = findPage(pages, `/${value}`);
    return {
      value: `/${value}`,
      label,
      ...(page ? { icon: page.icon } : {}),
      ...(page?.needsLogin ? { note: <IconLock size={13} stroke={1.75} aria-label="Needs login" /> } : {}),
    };
  });

  return (
    <div className={styles['page']}>
      <BareHeader>
        <nav className={styles['pages']} aria-label="Pages">
          <Dropdown
            label="More pages"
            asButton
            tall
            options={options}
            value={path}
            onSelect={(destinationPath) => {
              setPath(destinationPath);
              if (isLoggedIn) navigateTo(destinationPath);
            }}
          />
          <div className={styles['three']}>
            {shortcuts.map(({ path: destinationPath, label }) => (
              <Button key={destinationPath} onClick={() => openPath(destinationPath)}>
                {label}
              </Button>
            ))}
          </div>
        </nav>
      </BareHeader>
      <main className={styles['main']}>
        <FinishSignOn
          response={signOnResponse}
          onOutcome={handleSignOn}
          onError={(error) => {
            setSignOnResponse(undefined);
            handleLoginError(error, setErrorMessage);
          }}
          onCancel={() => setSignOnResponse(undefined)}
        />
        <SecondStepCard
          step={secondStep}
          days={days}
          onLogin={completeLogin}
          onCancel={() => setSecondStep(undefined)}
        />
        <Form
          hidden={secondStep !== undefined || signOnResponse !== undefined}
          className={`${styles['card']} surface hung`}
          data-bad={isIncomplete || errorMessage !== '' ? true : undefined}
          noValidate
          onSubmit={() => openPath(path)}
        >
          <h1>
            Log in
            {isLoggedIn && (
              <Badge tone="green">
                <IconCheck size={13} stroke={2} />
                Logged in as {storedUsername}
              </Badge>
            )}
          </h1>
          <ConditionalPart condition={showsPassword}>
            <TextInput
              label="Username"
              name="username"
              autoComplete="username"
              {...getFieldProps('username', username)}
            />
            <PasswordInput
              label="Password"
              name="password"
              autoComplete="current-password"
              {...getFieldProps('password', password)}
              {...capsLock.listeners}
            />
            <CapsLockHint isOn={capsLock.isOn} />
          </ConditionalPart>
          <StayLoggedIn checked={staysLoggedIn} onChange={setStaysLoggedIn} days={COOKIE_DAYS} />
          <ConditionalPart condition={showsPassword}>
            <Button type="submit" variant="primary" size="lg" fullWidth loading={logIn.isPending}>
              Go
            </Button>
          </ConditionalPart>
          <LoginMessage errorMessage={errorMessage} pathName={getPathName(path, pages)} />
          <PasskeyOption
            days={days}
            onLogin={(login) => completeLogin(login, path)}
            onError={(error) => handleLoginError(error, setErrorMessage)}
          />
          <SignOnOption
            provider={provider}
            days={days}
            path={path}
            onError={(error) => handleLoginError(error, setErrorMessage)}
          />
          <p className={styles['other']}>
            {showsPassword ? (
              <PageLink to="/signup">Sign up instead</PageLink>
            ) : (
              <Button variant="subtle" onClick={showPassword}>
                Use a password
              </Button>
            )}
          </p>
        </Form>
        <div className={styles['notices']}>
          <NoticeStack inPage />
        </div>
      </main>
    </div>
  );
}
