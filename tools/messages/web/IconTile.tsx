import type { Icon } from '#platform/web/tool.ts';
import styles from './IconTile.module.css';

/** What one talks to, as a picture. Its ground is `--tile`, where something around it sets that. */
export function IconTile({ icon: Icon }: { readonly icon: Icon }) {
  return (
    <span className={styles['tile']}>
      <Icon size={20} stroke={1.75} />
    </span>
  );
}
