import { IconCloudOff, IconRefresh } from '@tabler/icons-react';
import { useReconnecting } from '#platform/web/line.ts';
import { useReach } from '#platform/web/reach.ts';
import styles from './Strips.module.css';

/** Under the header: says that the line is down. */
export function Strips({ keepsChanges }: { readonly keepsChanges: boolean }) {
  const reached = useReach();
  const reconnecting = useReconnecting();
  return (
    <div role="status">
      {!reached && (
        <p className={styles['strip']}>
          <IconCloudOff size={18} stroke={1.75} />
          {keepsChanges
            ? 'Offline. Changes are kept here and sent when the line is back.'
            : 'Offline. The server cannot be reached: what you change now may not be saved.'}
        </p>
      )}
      {reached && reconnecting && (
        <p className={styles['strip']}>
          <IconRefresh size={18} stroke={1.75} />
          Reconnecting
        </p>
      )}
    </div>
  );
}
