import { Fragment } from 'react';
import { CopyButton } from '#platform/web/ui/CopyButton.tsx';
import styles from './pairing.module.css';

/** Lines for a terminal, to copy. */
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
      <CopyButton text={lines.join('\n')} label={lines.length === 1 ? 'Copy the line' : 'Copy the lines'} />
    </div>
  );
}
