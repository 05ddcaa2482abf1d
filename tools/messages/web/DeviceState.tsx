import { getStateDot } from '#platform/web/app/computers.ts';
import type { Icon } from '#platform/web/tool.ts';
import styles from './DeviceState.module.css';

/** The icon of a conversation. Its background is `--tile`, if an ancestor sets that. */
export function IconTile({ icon: Icon }: { readonly icon: Icon }) {
  return (
    <span className={styles['tile']}>
      <Icon size={20} stroke={1.75} />
    </span>
  );
}

/** A device's state as a dot and a word. */
export function DeviceState({ state }: { readonly state: string }) {
  const colour = getStateDot(state);
  return (
    <span className={styles['state']}>
      <span
        className="dot"
        data-hollow={colour === 'hollow' || undefined}
        {...(colour === 'hollow' ? {} : { style: { background: colour } })}
      />
      {state}
    </span>
  );
}
