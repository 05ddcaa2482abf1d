import { IconAlertTriangle } from '@tabler/icons-react';
import { Fragment } from 'react';
import { isPrivateHost } from '#platform/contract/privateAddress.ts';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import { CopyButton } from '#platform/web/ui/CopyButton.tsx';
import { Steps } from '#platform/web/ui/Steps.tsx';
import { CodeForm, type PairedComputer } from './CodeForm.tsx';
import { useAddresses } from './useDevices.ts';
import styles from './pairing.module.css';

/** Commands that pair a computer with a server. */
export interface PairCommands {
  readonly npx: string;
  readonly withoutNpx: readonly string[];
  /** The server is reached over plain HTTP on the internet, for which the commands have a flag. */
  readonly isInsecure: boolean;
}

export function createPairCommands(origin: string): PairCommands {
  const { protocol, hostname } = new URL(origin);
  const isInsecure = protocol !== 'https:' && !isPrivateHost(hostname);
  const pairArguments = `pair ${origin}${isInsecure ? ' --insecure' : ''}`;
  return {
    npx: `npx ${origin}/agent.tgz ${pairArguments}`,
    withoutNpx: [`curl -fO ${origin}/agent.mjs`, `node agent.mjs ${pairArguments}`],
    isInsecure,
  };
}

/** Terminal commands with a copy button. */
function CommandLine({ lines }: { readonly lines: readonly string[] }) {
  return (
    <div className={styles['command']}>
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

interface PairStepsProps {
  readonly onPaired: (computer: PairedComputer) => void;
  readonly hint: string;
  readonly note: string;
  readonly isSideBySide?: boolean;
  readonly onCodeChange?: (code: string) => void;
}

/** The two steps of pairing: the command to run on the computer, and the code that it shows. */
export function PairSteps({ onPaired, hint, note, isSideBySide = false, onCodeChange }: PairStepsProps) {
  const { origin } = useAddresses();
  const commands = createPairCommands(origin);
  return (
    <Steps className={styles['steps']}>
      <li>
        <h3>{isSideBySide ? 'Run this command on the computer' : 'Run this command on it'}</h3>
        {commands.isInsecure ? (
          <p className={styles['insecure']} role="note">
            <IconAlertTriangle size={16} stroke={1.75} />
            <span>
              <b>Turn on https first.</b> Over plain http, anyone between here and{' '}
              <span className={styles['host']}>{new URL(origin).host}</span> can read and change what you type.{' '}
              <HttpsHint>
                If you accept that, run the command below with <span className={styles['flag']}>--insecure</span>
              </HttpsHint>
            </span>
          </p>
        ) : null}
        <CommandLine lines={[commands.npx]} />
        <p className={styles['note']}>{note}</p>
        <details className={styles['alternative']}>
          <summary>Without npx</summary>
          <CommandLine lines={commands.withoutNpx} />
        </details>
      </li>
      <li>
        <h3>Enter the code that it shows</h3>
        <CodeForm onPaired={onPaired} hint={hint} isSideBySide={isSideBySide} onCodeChange={onCodeChange} />
      </li>
    </Steps>
  );
}
