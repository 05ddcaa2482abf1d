import {
  IconChartBar,
  IconCheck,
  IconClipboardText,
  IconFileCode,
  IconKeyboard,
  IconMouse,
  IconVolume,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '#platform/web/call.ts';
import { Mark } from '#platform/web/ui/Mark.tsx';
import { NoticeStack } from '#platform/web/ui/NoticeStack.tsx';
import { PageLink } from '#platform/web/ui/PageLink.tsx';
import { QrCode } from '#platform/web/ui/QrCode.tsx';
import { checkaccounts } from '#tools/accounts/contract.ts';
import { PairSteps } from './PairSteps.tsx';
import { useAddresses } from './useAddresses.ts';
import { useDevices } from './useDevices.ts';
import styles from './PairPage.module.css';

const stages = ['Account', 'Computer', 'Ready'];

function Progress({ at }: { readonly at: number }) {
  return (
    <ol className={styles['progress']} aria-label="Progress">
      {stages.map((stage, index) => (
        <li
          key={stage}
          data-done={index < at || undefined}
          data-now={index === at || undefined}
          {...(index === at ? { 'aria-current': 'step' as const } : {})}
        >
          <i aria-hidden>{index < at ? <IconCheck size={14} stroke={2.2} /> : index + 1}</i>
          <span>{stage}</span>
        </li>
      ))}
    </ol>
  );
}

function Phone() {
  const { origin, isLocalOnly } = useAddresses();
  return (
    <div className={styles['phone']}>
      {isLocalOnly ? null : <QrCode text={`${origin}/login`} size={172} />}
      <h2>And the phone</h2>
      <p>
        {isLocalOnly
          ? 'This server is reached from its own computer only. Start it without HOST=127.0.0.1 to use it from the phone.'
          : 'Point its camera here and log in: the phone becomes keyboard and mouse.'}
      </p>
      {isLocalOnly ? null : <p className="mono">{origin.replace(/^https?:\/\//, '')}</p>}
    </div>
  );
}

/** The first run, ours: from an account to a computer that types. */
export default function PairPage() {
  const [paired, setPaired] = useState<string>();
  const { changed } = useDevices();
  const { data: account } = useQuery({ queryKey: ['checkaccounts'], queryFn: () => call(checkaccounts, {}) });
  return (
    <div className={styles['page']}>
      <NoticeStack />
      <header className={styles['head']}>
        <Mark />
        Pegboard
        <Progress at={paired === undefined ? 1 : 2} />
      </header>
      <main className={styles['main']}>
        <div>
          <h1>{paired === undefined ? 'Pair your computer' : `${paired} is ready`}</h1>
          <p className={styles['lead']}>
            {paired === undefined
              ? 'It then types, presses keys, runs scripts and moves the mouse for you.'
              : 'What you send from the dashboard is typed there, from this browser or from the phone.'}
            {account === undefined ? null : (
              <>
                {' '}
                You are {account.isOwner ? 'the owner of this server, ' : ''}signed in as <b>{account.username}</b>.
              </>
            )}
          </p>
        </div>
        <section className={`${styles['card']} hung`} aria-label="Pairing">
          <div>
            {paired === undefined ? (
              <PairSteps
                beside
                note="In a terminal, as yourself, without root. Linux, with Node 24 or newer."
                hint="Waiting for the code. It is valid for 10 minutes."
                onPaired={(name) => {
                  setPaired(name);
                  void changed();
                }}
              />
            ) : (
              <div className={styles['done']}>
                <PageLink className={styles['primary']} to="/dashboard">
                  Open the dashboard
                </PageLink>
                <p role="status">
                  <IconCheck size={16} stroke={2} /> {paired} is paired.
                </p>
              </div>
            )}
            <p className={styles['may']}>
              It may
              <span>
                <IconKeyboard size={15} stroke={1.75} /> type
              </span>
              <span>
                <IconMouse size={15} stroke={1.75} /> move the mouse
              </span>
              <span>
                <IconVolume size={15} stroke={1.75} /> set the volume
              </span>
              <span>
                <IconChartBar size={15} stroke={1.75} /> count screen time
              </span>
              and, if you start it with their flags,
              <span>
                <IconFileCode size={15} stroke={1.75} /> run scripts
              </span>
              <span>
                <IconClipboardText size={15} stroke={1.75} /> share the clipboard
              </span>
            </p>
          </div>
          <Phone />
        </section>
      </main>
      <footer className={styles['foot']}>
        {paired === undefined ? (
          <PageLink className={styles['quiet']} to="/dashboard/settings?tab=devices">
            Pair later under Devices Settings
          </PageLink>
        ) : null}
        <PageLink className={styles['plain']} to="/pagerouter">
          Just take me to pages
        </PageLink>
      </footer>
    </div>
  );
}
