import { useEffect, useState, useSyncExternalStore } from 'react';
import { realtime } from './socket.ts';

/** Shorter interruptions, such as the first connection, are not shown. */
const NOTICE_DELAY_MS = 1500;

/** Returns whether the realtime connection has been lost for longer than a moment. */
export function useIsReconnecting(): boolean {
  const connectionState = useSyncExternalStore(realtime.onConnectionStateChange, realtime.getConnectionState);
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    if (connectionState !== 'reconnecting') return undefined;
    const timer = setTimeout(() => setIsLate(true), NOTICE_DELAY_MS);
    return () => {
      clearTimeout(timer);
      setIsLate(false);
    };
  }, [connectionState]);
  return isLate;
}
