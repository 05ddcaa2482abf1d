import { Steps } from '#platform/web/ui/Steps.tsx';
import { CodeForm } from './CodeForm.tsx';
import { CommandLine } from './CommandLine.tsx';
import { useAddresses } from './useAddresses.ts';
import styles from './pairing.module.css';

interface PairStepsProps {
  readonly onPaired: (name: string) => void;
  readonly hint: string;
  readonly note: string;
  readonly beside?: boolean;
}

/** The two steps of pairing a computer: the line to run on it, and the code that it shows. */
export function PairSteps({ onPaired, hint, note, beside = false }: PairStepsProps) {
  const { origin } = useAddresses();
  return (
    <Steps className={styles['steps']}>
      <li>
        <h3>{beside ? 'Run this line on the computer' : 'Run this line on it'}</h3>
        <CommandLine lines={[`npx ${origin}/agent.tgz pair ${origin}`]} />
        <p className={styles['note']}>{note}</p>
        <details className={styles['without']}>
          <summary>Without npx</summary>
          <CommandLine lines={[`curl -fO ${origin}/agent.mjs`, `node agent.mjs pair ${origin}`]} />
        </details>
      </li>
      <li>
        <h3>Enter the code that it shows</h3>
        <CodeForm onPaired={onPaired} hint={hint} beside={beside} />
      </li>
    </Steps>
  );
}
