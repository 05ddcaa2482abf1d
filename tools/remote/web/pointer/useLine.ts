import { useSyncExternalStore } from 'react';
import { realtime, type ConnectionState } from '#platform/web/app/socket.ts';

/** State of the page's socket. */
export const useLine = (): ConnectionState =>
  useSyncExternalStore(realtime.onConnectionStateChange, realtime.getConnectionState);
