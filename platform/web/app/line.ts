import { useEffect, useState, useSyncExternalStore } from 'react';
import { realtime } from './socket.ts';

/** A break this short, such as the first connecting, is not worth a word. */
const NOTICE_DELAY_MS = 1500;

/** Whether the realtime line is down for longer than a moment. */
export function useIsReconnecting(): boolean {
  const line = useSyncExternalStore(realtime.onConnectionStateChange, realtime.getConnectionState);
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (line !== 'reconnecting') return undefined;
    const say = setTimeout(() => setLate(true), NOTICE_DELAY_MS);
    return () => {
      clearTimeout(say);
      setLate(false);
    };
  }, [line]);
  return late;
}
