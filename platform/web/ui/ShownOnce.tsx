import { CopyButton } from './CopyButton.tsx';
import styles from './ShownOnce.module.css';

interface OneTimeSecretProps {
  readonly text: string;
  /** Accessible name of the button that copies it. */
  readonly copyLabel: string;
  /** What it is and that it will not be seen again. */
  readonly children: string;
}

/** A secret that is shown this once, to be copied or read off. */
export function OneTimeSecret({ text, copyLabel, children }: OneTimeSecretProps) {
  return (
    <div className={styles['box']} role="status">
      <p className={styles['why']}>{children}</p>
      <div className={styles['line']}>
        <code>{text}</code>
        <CopyButton text={text} label={copyLabel} />
      </div>
    </div>
  );
}
