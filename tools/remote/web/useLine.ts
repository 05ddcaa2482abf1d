import { useSyncExternalStore } from 'react';
import { realtime, type LineState } from '#platform/web/socket.ts';

/** State of the page's socket. */
export const useLine = (): LineState => useSyncExternalStore(realtime.onLine, realtime.line);
