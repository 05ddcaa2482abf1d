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
import { call } from '#platform/web/app/call.ts';
import { Logo } from '#platform/web/page/BareHeader.tsx';
import { NoticeStack } from '#platform/web/page/NoticeStack.tsx';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { QrCode } from '#platform/web/ui/QrCode.tsx';
import { checkaccounts } from '#tools/accounts/contract.ts';
import type { DeviceDetails } from '../contract.ts';
import { Abilities } from './Abilities.tsx';
import type { PairedComputer } from './CodeForm.tsx';
import { InstallHint, PairSteps } from './PairSteps.tsx';
import { useAddresses, useDevices } from './useDevices.ts';
import '#platform/web/theme/parts.css';
import styles from './PairPage.module.css';

type DeviceSummary = Pick<DeviceDetails, 'id' | 'kind'>;

/** Returns the last computer that was paired, here or elsewhere, since the initial devices were loaded. */
export function findNewComputer<Device extends DeviceSummary>(
  initialDevices: readonly DeviceSummary[] | undefined,
  current: readonly Device[] | undefined,
): Device | undefined {
  if (!initialDevices) return undefined;
  return current
    ?.filter(({ id, kind }) => kind === 'computer' && !initialDevices.some((device) => device.id === id))
    .toSorted((a, b) => b.id - a.id)[0];
}

const STEPS = ['Account', 'Computer', 'Ready'];

function ProgressSteps({ currentStep }: { readonly currentStep: number }) {
  return (
    <ol className={styles['progress']} aria-label="Progress">
      {STEPS.map((step, index) => (
        <li
          key={step}
          data-done={index < currentStep || undefined}
          data-now={index === currentStep || undefined}
          {...(index === currentStep ? { 'aria-current': 'step' as const } : {})}
        >
          <i aria-hidden>{index < currentStep ? <IconCheck size={14} stroke={2.2} /> : index + 1}</i>
          <span>{step}</span>
        </li>
      ))}
    </ol>
  );
}

/** Lists what the agent may do by default, and with flags. */
function AgentPermissions() {
  return (
    <div className={styles['permissions']}>
      <p>
        It can
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
          <IconChartBar size={15} stroke={1.75} /> track screen time
        </span>
      </p>
      <p>
        With a flag at the end of the command also
        <span>
          <IconFileCode size={15} stroke={1.75} /> run scripts: <code>--allow-scripts</code>
        </span>
        <span>
          <IconClipboardText size={15} stroke={1.75} /> share the clipboard: <code>--allow-clipboard</code>
        </span>
      </p>
    </div>
  );
}

function PhoneHint() {
  const { siteAddress, isLocalOnly } = useAddresses();
  return (
    <div className={styles['phone']}>
      {isLocalOnly ? null : <QrCode text={`${siteAddress}/login`} size={172} />}
      <h2>Use your phone</h2>
      <p>
        {isLocalOnly
          ? 'This server can be reached only from its own computer. Let it listen on all addresses (HOST=::) to use it from your phone'
          : 'Scan this code with your phone and log in to use it as keyboard and mouse'}
      </p>
      {isLocalOnly ? null : <p className="mono">{siteAddress.replace(/^https?:\/\//, '')}</p>}
    </div>
  );
}

/** Tracks the computer that was paired, here or elsewhere, since the page was opened or another one was requested. */
function usePairing() {
  const [initialDevices, setInitialDevices] = useState<readonly DeviceDetails[]>();
  const [typedCode, setTypedCode] = useState('');
  const [pairedHere, setPairedHere] = useState<PairedComputer>();
  const { devices, isFetching, reload } = useDevices();
  if (initialDevices === undefined && devices !== undefined && !isFetching) setInitialDevices(devices);
  const newComputer = findNewComputer(initialDevices, devices);
  // The typed code may belong to another computer, so the form stays open.
  const paired = pairedHere ?? (typedCode === '' ? newComputer : undefined);
  return {
    paired,
    /** A computer that was paired elsewhere while a code is being typed here. */
    otherPairedName: paired === undefined ? newComputer?.name : undefined,
    // By id, because two computers can have the same name.
    computer: devices?.find(({ id }) => id === paired?.id),
    onCodeChange: setTypedCode,
    onPaired: (computer: PairedComputer): void => {
      setPairedHere(computer);
      void reload();
    },
    pairAnother: (): void => {
      setInitialDevices(devices);
      setTypedCode('');
      setPairedHere(undefined);
    },
  };
}

type PairingState = ReturnType<typeof usePairing>;

/** The steps, shown until a computer is paired. */
function PairForm({ otherPairedName, onCodeChange, onPaired }: PairingState) {
  return (
    <>
      {otherPairedName === undefined ? null : (
        <p className={styles['waiting']} role="status">
          <IconCheck size={16} stroke={2} /> {otherPairedName} is paired{' '}
          <PageLink to="/dashboard">Open the dashboard</PageLink>
        </p>
      )}
      <PairSteps
        isSideBySide
        hint="Waiting for the code, which is valid for 10 minutes"
        onCodeChange={onCodeChange}
        onPaired={onPaired}
      />
    </>
  );
}

function PairedMessage({ paired }: { readonly paired: string }) {
  return (
    <div className={styles['done']}>
      <PageLink className={styles['primary']} to="/dashboard">
        Open the dashboard
      </PageLink>
      <p role="status">
        <IconCheck size={16} stroke={2} /> {paired} is paired
      </p>
    </div>
  );
}

function AccountNote() {
  const { data: account } = useQuery({ queryKey: ['checkaccounts'], queryFn: () => call(checkaccounts, {}) });
  if (account === undefined) return null;
  return (
    <>
      . You are {account.isOwner ? 'the owner of this server, ' : ''}logged in as <b>{account.username}</b>
    </>
  );
}

/** Guides the user of a new account to a paired computer. */
export default function PairPage() {
  const pairing = usePairing();
  const { paired, computer, pairAnother } = pairing;
  return (
    <div className={styles['page']}>
      <NoticeStack />
      <header className={styles['head']}>
        <Logo />
        Pegboard
        <ProgressSteps currentStep={paired === undefined ? 1 : 2} />
      </header>
      <main className={styles['main']}>
        <div>
          <h1>{paired === undefined ? 'Pair your computer' : `${paired.name} is ready`}</h1>
          <p className={styles['lead']}>
            {paired === undefined
              ? 'Then you can type, press keys and move the mouse on it from here'
              : 'Text that you send from the dashboard in this browser or on your phone is typed there'}
            <AccountNote />
          </p>
        </div>
        <section className={`${styles['card']} surface hung`} aria-label="Pairing">
          <div>
            {paired === undefined ? <PairForm {...pairing} /> : <PairedMessage paired={paired.name} />}
            {computer?.state === 'Connected' ? (
              <div className={styles['abilities']}>
                <Abilities abilities={computer.abilities} />
              </div>
            ) : (
              <AgentPermissions />
            )}
            {paired === undefined ? null : <InstallHint system={computer?.system ?? ''} />}
          </div>
          <PhoneHint />
        </section>
      </main>
      <footer className={styles['foot']}>
        {paired === undefined ? (
          <PageLink className={styles['quiet']} to="/dashboard/settings?tab=devices">
            Pair later under Devices Settings
          </PageLink>
        ) : (
          <button type="button" className={styles['quiet']} onClick={pairAnother}>
            Pair another computer
          </button>
        )}
        <PageLink className={styles['plain']} to="/pagerouter">
          Just take me to pages
        </PageLink>
      </footer>
    </div>
  );
}
