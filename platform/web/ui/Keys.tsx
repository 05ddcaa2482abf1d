import { Fragment } from 'react';
import { formatKeys } from '../app/commands.ts';
import styles from './Keys.module.css';

/** The keys of a command as keycaps; alternatives are separated by a slash. */
export function Keys({ keys }: { readonly keys: string | readonly string[] }) {
  const chords = typeof keys === 'string' ? [keys] : keys;
  return (
    <span className={styles['keys']}>
      {chords.map((chord, index) => (
        <Fragment key={chord}>
          {index === 0 ? null : <span aria-hidden>/</span>}
          {formatKeys(chord).map((key) => (
            <Fragment key={key}>
              <kbd>{key}</kbd>{' '}
            </Fragment>
          ))}
        </Fragment>
      ))}
    </span>
  );
}
