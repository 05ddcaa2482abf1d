import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { Suspense } from 'react';
import { call } from '#platform/web/app/call.ts';
import { lazyPart } from '#platform/web/app/latePart.ts';
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { notices } from '#platform/web/app/notices.ts';
import { session } from '#platform/web/app/session.ts';
import { formatShortDate } from '#platform/web/browser/formats.ts';
import { downloadFile } from '#platform/web/browser/saveFile.ts';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { Card } from '#platform/web/ui/Card.tsx';
import { deleteaccount, exportaccount } from '../../contract.ts';
import { ChangePassword } from './ChangePassword.tsx';
import { EndLinks } from './EndLinks.tsx';
import { PasswordAct } from './PasswordConfirmation.tsx';
import { Sessions } from './Sessions.tsx';
import { useOverview, useSignupOpen } from './useAccount.ts';
import styles from './AccountPanel.module.css';

const AppPasswordsPanel = lazyPart(async () => (await import('./AppPasswordsPanel.tsx')).default);
const SecurityPanel = lazyPart(async () => (await import('./SecurityPanel.tsx')).default);
const ServerPanel = lazyPart(async () => (await import('./ServerPanel.tsx')).default);

function SignupSwitch() {
  const { open, set } = useSignupOpen();
  if (open === undefined) return null;
  return (
    <div className={styles['line']}>
      <span className={styles['what']}>
        <b>Sign-up</b>
        <small>Whether others can make accounts here.</small>
      </span>
      <button
        type="button"
        role="switch"
        aria-checked={open}
        aria-label="Sign-up open"
        className={styles['switch']}
        onClick={() => set(!open)}
      >
        <i />
        {open ? 'Open' : 'Closed'}
      </button>
    </div>
  );
}

const devicesWord = (names: readonly string[]): string =>
  names.length === 0
    ? 'no device'
    : `${names.length === 1 ? 'one device' : `${names.length} devices`} (${names.join(', ')})`;

/** Main Account Settings: overview, sessions, password, export, sign-up, deletion. */
export default function AccountPanel() {
  const { data: account, error, refetch, changed } = useOverview();
  const go = useNavigateTo();
  if (account === undefined)
    return error === null ? null : (
      <Card>
        <p className={styles['quiet']}>{error.message}</p>
        <Button onClick={() => void refetch()}>Try again</Button>
      </Card>
    );
  const { username, created, isOwner, devices, sessions } = account;
  return (
    <>
      <div className={styles['panel']}>
        <div className={styles['column']}>
          <Card flush>
            <div className={styles['line']}>
              <span className={styles['what']}>
                <b dir="auto">{username}</b>
                <small className="num">
                  here since {formatShortDate(created)}, {devicesWord(devices)}
                </small>
              </span>
              {isOwner ? <Badge tone="accent">owner</Badge> : null}
            </div>
          </Card>
          <Sessions sessions={sessions} changed={changed} />
          <Suspense fallback={<div className={styles['coming']} />}>
            <AppPasswordsPanel />
          </Suspense>
          <Card flush>
            <EndLinks />
            <PasswordAct
              title="Export all data"
              text="One zip with everything this account holds, as JSON. Asks for the password."
              button={
                <>
                  <IconDownload size={15} stroke={1.75} />
                  <span className={styles['label']}>Export</span>
                </>
              }
              confirm="Download"
              act={async (password) => {
                const { fileName, content } = await call(exportaccount, { password });
                downloadFile(fileName, content);
              }}
            />
            {isOwner ? <SignupSwitch /> : null}
          </Card>
          <Card danger flush>
            <PasswordAct
              title="Delete the account"
              text="Deletes everything in this account for good. Asks for the name and the password."
              button="Delete"
              confirm="Confirm Delete"
              danger
              typed={username}
              act={async (password, typed) => {
                await call(deleteaccount, { password, username: typed });
                session.logOut();
                notices.add('good', `The account ${username} is deleted`);
                go('/', { replace: true });
              }}
            />
          </Card>
        </div>
        <div className={styles['column']}>
          <ChangePassword changed={changed} />
          <Suspense fallback={null}>
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
