import { Button, PasswordInput } from '@mantine/core';
import { IconDownload, IconDeviceMobile, IconWorld } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { describeBrowser, isPhoneBrowser } from '#platform/contract/browserName.ts';
import type { AnswerOf } from '#platform/contract/call.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { notices } from '#platform/web/app/notices.ts';
import { session, useSession } from '#platform/web/app/session.ts';
import { showError } from '#platform/web/app/showError.ts';
import { downloadFile } from '#platform/web/browser/downloadFile.ts';
import { formatDate, formatMoment } from '#platform/web/browser/formats.ts';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { Card } from '#platform/web/ui/Card.tsx';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import { QueryError } from '#platform/web/ui/QueryState.tsx';
import { deleteaccount, exportaccount, endlinks, type checkaccounts, changepassword } from '../../contract.ts';
import { PasswordAction, FormError } from './PasswordConfirmation.tsx';
import { useAccountOverview, useEndSessions } from './useAccountOverview.ts';
import styles from './AccountPanel.module.css';

/** Revokes the signed links of songs, lists and recordings. */
export function RevokeLinks() {
  const end = useMutation({
    mutationFn: () => call(endlinks, {}),
    onError: showError,
    onSuccess: () => notices.add('good', 'All links were revoked'),
  });
  return (
    <div className={styles['line']}>
      <span className={styles['details']}>
        <b>Shared links</b>
        <small>Saved playlists and downloads use links that work for up to a day, for anyone who has them</small>
      </span>
      <ConfirmButton confirmLabel="Confirm Revoke all links" onConfirm={() => end.mutate()}>
        Revoke all links
      </ConfirmButton>
    </div>
  );
}

interface SessionsProps {
  readonly sessions: AnswerOf<typeof checkaccounts>['sessions'];
  readonly onChanged: () => Promise<unknown>;
}

/** Lists the sessions of the account and ends them. */
export function Sessions({ sessions, onChanged }: SessionsProps) {
  const ending = useEndSessions(onChanged);
  const otherSessions = sessions.filter(({ own }) => !own);
  const orderedSessions = [...sessions.filter(({ own }) => own), ...otherSessions];
  return (
    <Card
      title="Sessions"
      aside={
        otherSessions.length === 0 ? undefined : (
          <ConfirmButton
            size="compact-md"
            confirmLabel="Confirm Log out everywhere else"
            onConfirm={() => ending.mutate(undefined)}
          >
            Log out everywhere else
          </ConfirmButton>
        )
      }
      flush
    >
      {orderedSessions.map(({ id, own, browser, created, lastSeen, address }) => (
        <div key={id} className={styles['line']}>
          {isPhoneBrowser(browser) ? (
            <IconDeviceMobile size={18} stroke={1.75} />
          ) : (
            <IconWorld size={18} stroke={1.75} />
          )}
          <span className={styles['details']}>
            <span>{describeBrowser(browser)}</span>
            <small className="num">
              {own ? `since ${formatDate(created)}` : formatMoment(lastSeen)}, {address}
            </small>
          </span>
          {own ? (
            <Badge tone="accent">this browser</Badge>
          ) : (
            <Button
              size="compact-md"
              aria-label={`End session of ${describeBrowser(browser)}, ${address}`}
              onClick={() => ending.mutate([id])}
            >
              End session
            </Button>
          )}
        </div>
      ))}
    </Card>
  );
}

/** Gives the two buttons that show a password different names. */
const getToggleProps = (name: string) => ({
  visibilityToggleButtonProps: { 'aria-label': `Show password (${name})`, tabIndex: 0 },
});

/** Changes the password, which ends all other sessions. */
export function ChangePassword({ onChanged }: { readonly onChanged: () => Promise<unknown> }) {
  const username = useSession()?.username ?? '';
  const [password, setPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const passwordChange = useMutation({
    mutationFn: async () => {
      if (password === '') throw new Refusal('account.password_empty', 'Enter your current password');
      if (newPassword === '') throw new Refusal('account.password_empty', 'Enter a new password');
      return call(changepassword, { password, newPassword });
    },
    onSuccess: async ({ ended }) => {
      setPassword('');
      setNewPassword('');
      notices.add('good', ended === 0 ? 'Password changed' : `Password changed. Other sessions ended: ${ended}`);
      await onChanged();
    },
  });
  return (
    <Card title="Change password">
      <Form
        className={styles['form']}
        data-bad={passwordChange.isError || undefined}
        isBusy={passwordChange.isPending}
        onSubmit={() => passwordChange.mutate()}
      >
        {/* Password managers need the username. */}
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <PasswordInput
          {...getToggleProps('current')}
          label="Current password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <PasswordInput
          {...getToggleProps('new')}
          label="New password"
          autoComplete="new-password"
          value={newPassword}
          onChange={(event) => setNewPassword(event.currentTarget.value)}
        />
        <FormError error={passwordChange.error} />
        <Button type="submit" variant="primary" loading={passwordChange.isPending}>
          Change password
        </Button>
        <p className={styles['quiet']}>
          This ends all other sessions and revokes all app passwords. Computers stay paired
        </p>
      </Form>
    </Card>
  );
}

const AppPasswordsPanel = lazyPart(async () => (await import('./AppPasswordsPanel.tsx')).default);
const ImportPanel = lazyPart(async () => (await import('./ImportPanel.tsx')).default);
const SecondFactorPanel = lazyPart(async () => (await import('./SecondFactorPanel.tsx')).default);
const SecurityPanel = lazyPart(async () => (await import('./SecurityPanel.tsx')).default);
const SingleSignOnPanel = lazyPart(async () => (await import('./SingleSignOnPanel.tsx')).default);
const ServerPanel = lazyPart(async () => (await import('./ServerPanel.tsx')).default);

const formatDevices = (names: readonly string[]): string =>
  names.length === 0
    ? 'no device'
    : `${names.length === 1 ? 'one device' : `${names.length} devices`} (${names.join(', ')})`;

/** Main Account Settings: overview, sessions, password, export and deletion; for the owner also the server. */
export default function AccountPanel() {
  const { data: account, error, refetch, reload } = useAccountOverview();
  const navigateTo = useNavigateTo();
  if (account === undefined)
    return error === null ? null : (
      <Card>
        <QueryError message={error.message} onRetry={refetch} />
      </Card>
    );
  const { username, created, isOwner, devices, sessions } = account;
  return (
    <>
      <div className={styles['panel']}>
        <div className={styles['column']}>
          <Card flush>
            <div className={styles['line']}>
              <span className={styles['details']}>
                <b dir="auto">{username}</b>
                <small className="num">
                  Created {formatDate(created)}, {formatDevices(devices)}
                </small>
              </span>
              {isOwner ? <Badge tone="accent">owner</Badge> : null}
            </div>
          </Card>
          <Sessions sessions={sessions} onChanged={reload} />
          <Suspense fallback={<div className={styles['placeholder']} />}>
            <AppPasswordsPanel />
          </Suspense>
          <Card flush>
            <RevokeLinks />
            <PasswordAction
              title="Export all data"
              text="Download all data of this account as a zip with JSON files. You need your password"
              openLabel={
                <>
                  <IconDownload size={15} stroke={1.75} />
                  <span className={styles['label']}>Export</span>
                </>
              }
              confirmLabel="Download"
              onConfirm={async (password) => {
                const { fileName, content } = await call(exportaccount, { password });
                downloadFile(fileName, content);
              }}
            />
            <Suspense fallback={<div className={styles['line']} />}>
              <ImportPanel />
            </Suspense>
          </Card>
          <Card danger flush>
            <PasswordAction
              title="Delete account"
              text="Permanently delete this account and all its data. You need your username and password"
              openLabel="Delete"
              confirmLabel="Confirm Delete"
              danger
              requiredName={username}
              onConfirm={async (password, requiredName) => {
                await call(deleteaccount, { password, username: requiredName });
                session.logOut();
                notices.add('good', `The account ${username} was deleted`);
                navigateTo('/', { replace: true });
              }}
            />
          </Card>
        </div>
        <div className={styles['column']}>
          <ChangePassword onChanged={reload} />
          <Suspense fallback={null}>
            <SecondFactorPanel />
            <SingleSignOnPanel />
            <SecurityPanel />
          </Suspense>
        </div>
      </div>
      {isOwner ? (
        <Suspense fallback={null}>
          <ServerPanel />
        </Suspense>
      ) : null}
    </>
  );
}
