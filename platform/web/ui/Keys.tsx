import { Fragment } from 'react';
import { shownKeys } from '../commands.ts';
import styles from './Keys.module.css';

/** The keys of a command, as keycaps. */
export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span className={styles['keys']}>
      {shownKeys(keys).map((key) => (
        <Fragment key={key}>
          <kbd>{key}</kbd>{' '}
        </Fragment>
      ))}
    </span>
  );
}
