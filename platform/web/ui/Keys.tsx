import { Fragment } from 'react';
import { formatKeys } from '../app/commands.ts';
import styles from './Keys.module.css';

/** The keys of a command, as keycaps; several with a slash between them. */
export function Keys({ keys }: { readonly keys: string | readonly string[] }) {
  const all = typeof keys === 'string' ? [keys] : keys;
  return (
    <span className={styles['keys']}>
      {all.map((one, at) => (
        <Fragment key={one}>
          {at === 0 ? null : <span aria-hidden>/</span>}
          {formatKeys(one).map((key) => (
            <Fragment key={key}>
              <kbd>{key}</kbd>{' '}
            </Fragment>
          ))}
        </Fragment>
      ))}
    </span>
  );
}
