import { IconAlertTriangle } from '@tabler/icons-react';
import { Fragment, useState } from 'react';
import { isPrivateHost } from '#platform/contract/privateAddress.ts';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import { CopyButton } from '#platform/web/ui/CopyButton.tsx';
import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import { Steps } from '#platform/web/ui/Steps.tsx';
import { CodeForm, type PairedComputer } from './CodeForm.tsx';
import {
  detectOperatingSystem,
  LABEL_BY_SYSTEM,
  OPERATING_SYSTEMS,
  type OperatingSystem,
  readBrowserInfo,
} from './operatingSystem.ts';
import { SystemNotes } from './SystemNotes.tsx';
import { useAddresses } from './useDevices.ts';
import styles from './pairing.module.css';

/** Commands that pair a computer with a server. */
export interface PairCommands {
  readonly npx: string;
  readonly withoutNpx: readonly string[];
  /** The server is reached over plain HTTP on the internet, for which the commands have a flag. */
  readonly isInsecure: boolean;
}

function isInsecureOrigin(siteAddress: string): boolean {
  const { protocol, hostname } = new URL(siteAddress);
  return protocol !== 'https:' && !isPrivateHost(hostname);
}

/** Returns the command that runs the agent. PowerShell refuses to run npx.ps1 by default. */
function createNpxCommand(siteAddress: string, isWindows: boolean, command: string): string {
  return `${isWindows ? 'npx.cmd' : 'npx'} ${siteAddress}/agent.tgz ${command}${isInsecureOrigin(siteAddress) ? ' --insecure' : ''}`;
}

export function createPairCommands(siteAddress: string, system: OperatingSystem): PairCommands {
  const isInsecure = isInsecureOrigin(siteAddress);
  const isWindows = system === 'windows';
  return {
    npx: createNpxCommand(siteAddress, isWindows, `pair ${siteAddress}`),
    withoutNpx: [
      // The `curl` of PowerShell itself has other options.
      `${isWindows ? 'curl.exe' : 'curl'} -fO ${siteAddress}/agent.mjs`,
      `node agent.mjs pair ${siteAddress}${isInsecure ? ' --insecure' : ''}`,
    ],
    isInsecure,
  };
}

/** Terminal commands with a copy button. */
function CommandLine({ lines, prompt }: { readonly lines: readonly string[]; readonly prompt: '$' | 'PS>' }) {
  return (
    <div className={styles['command']} data-prompt={prompt}>
      <code>
        {lines.map((line) => (
          <span key={line} className={styles['line']}>
            {line.split(/(?<=\w\/)|(?<= )(?=-)/).map((part) => (
              <Fragment key={part}>
                {part.startsWith('-') ? <span className={styles['flag']}>{part}</span> : part}
                <wbr />
              </Fragment>
            ))}
          </span>
        ))}
      </code>
      <CopyButton text={lines.join('\n')} label={lines.length === 1 ? 'Copy command' : 'Copy commands'} />
    </div>
  );
}

/** Says how the agent of a paired computer starts without a terminal. */
export function InstallHint({ system }: { readonly system: string }) {
  const { siteAddress } = useAddresses();
  const isWindows = system.startsWith('Windows');
  return (
    <div className={styles['install']}>
      <p className={styles['note']}>
        The agent ends with its terminal. To start it with the desktop, press Ctrl-C there and run:
      </p>
      <CommandLine lines={[createNpxCommand(siteAddress, isWindows, 'install')]} prompt={isWindows ? 'PS>' : '$'} />
    </div>
  );
}

/** Shown first on phones, because most computers run it. */
const DEFAULT_SYSTEM: OperatingSystem = 'windows';
const SYSTEM_OPTIONS = OPERATING_SYSTEMS.map((value) => ({ value, label: LABEL_BY_SYSTEM[value] }));

interface PairStepsProps {
  readonly onPaired: (computer: PairedComputer) => void;
  readonly hint: string;
  readonly isSideBySide?: boolean;
  readonly onCodeChange?: (code: string) => void;
}

/** The two steps of pairing: the command to run on the computer, and the code that it shows. */
export function PairSteps({ onPaired, hint, isSideBySide = false, onCodeChange }: PairStepsProps) {
  const { siteAddress } = useAddresses();
  const [system, setSystem] = useState(() => detectOperatingSystem(readBrowserInfo()) ?? DEFAULT_SYSTEM);
  const commands = createPairCommands(siteAddress, system);
  return (
    <Steps className={styles['steps']}>
      <li>
        <h3>{isSideBySide ? 'Run this command on the computer' : 'Run this command on it'}</h3>
        {commands.isInsecure ? (
          <p className={styles['insecure']} role="note">
            <IconAlertTriangle size={16} stroke={1.75} />
            <span>
              <b>Turn on https first.</b> Over plain http, anyone between here and{' '}
              <span className={styles['host']}>{new URL(siteAddress).host}</span> can read and change what you type.{' '}
              {/* This page may have HTTPS, or be on the server's own computer. */}
              <HttpsHint isLinked>
                If you accept that, run the command below with <span className={styles['flag']}>--insecure</span>
              </HttpsHint>
            </span>
          </p>
        ) : null}
        <div className={styles['systems']}>
          <SegmentedControl
            label="Operating system of the computer"
            options={SYSTEM_OPTIONS}
            value={system}
            onSelect={setSystem}
          />
        </div>
        <CommandLine lines={[commands.npx]} prompt={system === 'windows' ? 'PS>' : '$'} />
        <SystemNotes system={system} />
        <details className={styles['alternative']}>
          <summary>Without npx</summary>
          <CommandLine lines={commands.withoutNpx} prompt={system === 'windows' ? 'PS>' : '$'} />
        </details>
      </li>
      <li>
        <h3>Enter the code that it shows</h3>
        <CodeForm onPaired={onPaired} hint={hint} isSideBySide={isSideBySide} onCodeChange={onCodeChange} />
      </li>
    </Steps>
  );
}
