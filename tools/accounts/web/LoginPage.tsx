import { Button, PasswordInput, TextInput } from '@mantine/core';
import { IconAlertCircle, IconCheck, IconLock } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState, type SyntheticEvent, useRef } from 'react';
import { useLocation } from 'react-router';
import { CallError } from '#platform/contract/client.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { accountClient } from '#platform/web/app/account.ts';
import { showError, showRepeatingError } from '#platform/web/app/failure.ts';
import { getReturnPath, findPage, useNavigateTo } from '#platform/web/app/navigation.ts';
import { openSession } from '#platform/web/app/openSession.ts';
import { session, useSession } from '#platform/web/app/session.ts';
import { useWebSite } from '#platform/web/app/site.ts';
import { useUsername } from '#platform/web/app/username.ts';
import { BareHeader } from '#platform/web/page/BareHeader.tsx';
import { NoticeStack } from '#platform/web/page/NoticeStack.tsx';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import type { WebPage } from '#platform/web/tool.ts';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { Dropdown } from '#platform/web/ui/Dropdown.tsx';
import { CapsLockHint, StayLoggedIn, alertNoAnswer, getSessionDays, useCapsLock } from './LoginFields.tsx';
import styles from './Auth.module.css';

const nothing = (): void => undefined;

/**
 * Shows why a stored login could not be checked, and ends a refused one. Returns a function that dismisses the notice.
 */
export function showLoginFailure(error: Error): () => void {
  // An invalid token has already ended the session and shown its notice.
  if (session.getCurrent() === undefined) return nothing;
  if (!(error instanceof Refusal)) return showRepeatingError(error);
  session.expire();
  showError(error);
  return nothing;
}

/** Returns the username of a stored token. Typing another name or password does not end its session. */
export function useStoredLogin(): string | undefined {
  const { username, error } = useUsername();
  const current = useSession();
  const isChecking = current?.username === '';
  const shownNotice = useRef({ message: '', dismiss: nothing });
  useEffect(() => {
    if (!error) return;
    if (error.message !== shownNotice.current.message) shownNotice.current.dismiss();
    shownNotice.current = { message: error.message, dismiss: showLoginFailure(error) };
  }, [error]);
  // Not in the effect above: between two attempts the error is empty, and the notice would be created again.
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

export const USUAL_PATH = '/pagerouter';

/** Returns the name of a path as in the dropdown, or else the title of its page. */
export function getPathName(path: string, pages: readonly WebPage[]): string {
  const value = path.slice(1);
  const destination = destinations.find((option) => option.value === value);
  return destination?.label ?? findPage(pages, path)?.title ?? value;
}

const STAY_DAYS = 30;
/** Replaces the password while a stored token counts as the login. */
const MASKED = '••••••••••••';
const shortcuts = [
  { path: '/shopplanner', label: 'Go to shop planner' },
  { path: '/calendar', label: 'Go to calendar' },
  { path: '/mixer', label: 'Go to sound mixer' },
];

export default function LoginPage() {
  const navigateTo = useNavigateTo();
  const { pages } = useWebSite();
  const stored = useStoredLogin();
  const [typedFields, setTypedFields] = useState<{ readonly username?: string; readonly password?: string }>({});
  const [stay, setStay] = useState(false);
  const [isBad, setBad] = useState(false);
  const [errorMessage, setErrorMessage] = useState('');
  const location = useLocation();
  const [path, setPath] = useState(() => getReturnPath(location.state) ?? USUAL_PATH);
  const caps = useCapsLock();
  useEffect(() => accountClient.prepare(), []);

  // Typing another name or password means a new login.
  const isSignedIn = stored !== undefined && typedFields.username === undefined && typedFields.password === undefined;
  const username = typedFields.username ?? stored ?? '';
  const password = typedFields.password ?? (isSignedIn ? MASKED : '');

  const logIn = useMutation({
    mutationFn: (_to: string) => accountClient.logIn({ username, password, days: getSessionDays(stay, STAY_DAYS) }),
    onSuccess: (opened, to) => {
      openSession({ token: opened.token, username: opened.username }, stay ? STAY_DAYS : undefined);
      navigateTo(to);
    },
    onError: (error) => {
      if (error instanceof CallError && error.status === 0) alertNoAnswer(error);
      else setErrorMessage(error.message);
    },
  });
  const openPath = (to: string): void => {
    if (isSignedIn) {
      navigateTo(to);
      return;
    }
    const isEmpty = username === '' || password === '';
    setBad(isEmpty);
    setErrorMessage('');
    if (!isEmpty && !logIn.isPending) logIn.mutate(to);
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    openPath(path);
  };
  const field = (name: 'username' | 'password', value: string) => ({
    value,
    onChange: (event: { readonly currentTarget: HTMLInputElement }) => {
      const { value: next } = event.currentTarget;
      setTypedFields((current) => ({ ...current, [name]: next }));
    },
    onFocus: (event: { readonly currentTarget: HTMLInputElement }) => event.currentTarget.select(),
    ...(isBad && value === '' ? { 'aria-invalid': true, classNames: { wrapper: styles['invalid'] ?? '' } } : {}),
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
            onSelect={(to) => {
              setPath(to);
              if (isSignedIn) navigateTo(to);
            }}
          />
          <div className={styles['three']}>
            {shortcuts.map(({ path: to, label }) => (
              <Button key={to} onClick={() => openPath(to)}>
                {label}
              </Button>
            ))}
          </div>
        </nav>
      </BareHeader>
      <main className={styles['main']}>
        <form
          className={`${styles['card']} hung`}
          data-bad={isBad || errorMessage !== '' ? true : undefined}
          noValidate
          onSubmit={submit}
        >
          <h1>
            Log in
            {isSignedIn && (
              <Badge tone="green">
                <IconCheck size={13} stroke={2} />
                Logged in as {stored}
              </Badge>
            )}
          </h1>
          <TextInput label="Username" name="username" autoComplete="username" {...field('username', username)} />
          <PasswordInput
            label="Password"
            name="password"
            autoComplete="current-password"
            {...field('password', password)}
            {...caps.listeners}
          />
          <CapsLockHint on={caps.on} />
          <StayLoggedIn checked={stay} onChange={setStay} days={STAY_DAYS} />
          <Button type="submit" variant="primary" size="lg" fullWidth loading={logIn.isPending}>
            Go
          </Button>
          {errorMessage === '' ? (
            <p className={styles['destination']}>opens {getPathName(path, pages)}</p>
          ) : (
            <p className={styles['error']} role="alert">
              <IconAlertCircle size={15} stroke={1.75} />
              <span>{errorMessage}</span>
            </p>
          )}
          <p className={styles['other']}>
            <PageLink to="/signup">Sign up instead</PageLink>
          </p>
        </form>
        <div className={styles['notices']}>
          <NoticeStack inPage />
        </div>
      </main>
    </div>
  );
}
