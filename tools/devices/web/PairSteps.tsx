import { IconAlertTriangle } from '@tabler/icons-react';
import { Fragment } from 'react';
import { isPrivateHost } from '#platform/contract/privateAddress.ts';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import { CopyButton } from '#platform/web/ui/CopyButton.tsx';
import { Steps } from '#platform/web/ui/Steps.tsx';
import { CodeForm, type PairedComputer } from './CodeForm.tsx';
import { useAddresses } from './useDevices.ts';
import styles from './pairing.module.css';

/** Commands that pair a computer with the server at `origin`. */
export interface PairLines {
  readonly npx: string;
  readonly withoutNpx: readonly string[];
  /** Plain HTTP over the internet, which the agent only accepts with a flag. The commands contain it. */
  readonly isInsecure: boolean;
}

export function pairLines(origin: string): PairLines {
  const { protocol, hostname } = new URL(origin);
  const isInsecure = protocol !== 'https:' && !isPrivateHost(hostname);
  const pair = `pair ${origin}${isInsecure ? ' --insecure' : ''}`;
  return {
    npx: `npx ${origin}/agent.tgz ${pair}`,
    withoutNpx: [`curl -fO ${origin}/agent.mjs`, `node agent.mjs ${pair}`],
    isInsecure,
  };
}

/** Terminal commands with a copy button. */
export function CommandLine({ lines }: { readonly lines: readonly string[] }) {
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
  readonly beside?: boolean;
  readonly onCodeChange?: (code: string) => void;
}

/** The two steps of pairing: the command to run on the computer, and the code that it shows. */
export function PairSteps({ onPaired, hint, note, beside = false, onCodeChange }: PairStepsProps) {
  const { origin } = useAddresses();
  const lines = pairLines(origin);
  return (
    <Steps className={styles['steps']}>
      <li>
        <h3>{beside ? 'Run this command on the computer' : 'Run this command on it'}</h3>
        {lines.isInsecure ? (
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
        <CommandLine lines={[lines.npx]} />
        <p className={styles['note']}>{note}</p>
        <details className={styles['alternative']}>
          <summary>Without npx</summary>
          <CommandLine lines={lines.withoutNpx} />
        </details>
      </li>
      <li>
        <h3>Enter the code that it shows</h3>
        <CodeForm onPaired={onPaired} hint={hint} beside={beside} onCodeChange={onCodeChange} />
      </li>
    </Steps>
  );
}
