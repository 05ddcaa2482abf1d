import { IconCloudOff, IconRefresh } from '@tabler/icons-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useReach } from '#platform/web/reach.ts';
import { realtime } from '#platform/web/socket.ts';
import styles from './Strips.module.css';

/** A break this short, such as the first connecting, is not worth a word. */
const SAID_AFTER_MS = 1500;

const useReconnecting = (): boolean => {
  const line = useSyncExternalStore(realtime.onLine, realtime.line);
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (line !== 'reconnecting') return undefined;
    const say = setTimeout(() => setLate(true), SAID_AFTER_MS);
    return () => {
      clearTimeout(say);
      setLate(false);
    };
  }, [line]);
  return late;
};

/** Under the header: says that the line is down. */
export function Strips() {
  const reached = useReach();
  const reconnecting = useReconnecting();
  return (
    <div role="status">
      {!reached && (
        <p className={styles['strip']}>
          <IconCloudOff size={18} stroke={1.75} />
          Offline. The server cannot be reached, and nothing is sent until it is back.
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
