import { stateDot } from '#platform/web/devices/stateDot.ts';
import styles from './DeviceRail.module.css';

/** The dot beside a state's word. */
export function StateDot({ state }: { readonly state: string }) {
  const colour = stateDot(state);
  return (
    <span
      className={styles['dot']}
      data-hollow={colour === 'hollow' || undefined}
      {...(colour === 'hollow' ? {} : { style: { background: colour } })}
    />
  );
}
