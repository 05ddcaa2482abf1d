import { getStateDot } from '#platform/web/app/stateDot.ts';
import styles from './DeviceState.module.css';

/** A device's state as dot and word. */
export function DeviceState({ state }: { readonly state: string }) {
  const colour = getStateDot(state);
  return (
    <span className={styles['state']}>
      <span
        className={styles['dot']}
        data-hollow={colour === 'hollow' || undefined}
        {...(colour === 'hollow' ? {} : { style: { background: colour } })}
      />
      {state}
    </span>
  );
}
