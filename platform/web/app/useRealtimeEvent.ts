import { useEffect, useEffectEvent } from 'react';
import type { EventDataOf, EventMetadataOf, ServerEvent } from '#platform/contract/event.ts';
import { realtime, type ConnectionState } from './realtime.ts';

/** Calls the listener at each event while the component is mounted and `isEnabled`. Opens the socket. */
export function useRealtimeEvent<E extends ServerEvent>(
  event: E,
  onEvent: (data: EventDataOf<E>, metadata: EventMetadataOf<E>) => void,
  isEnabled = true,
): void {
  const handleEvent = useEffectEvent(onEvent);
  useEffect(
    () => (isEnabled ? realtime.on(event, (data, metadata) => handleEvent(data, metadata)) : undefined),
    [event, isEnabled],
  );
}

/**
 * Calls the listener when the realtime connection is lost or established, also for the first time: data that was
 * loaded earlier may have changed since.
 */
export function useConnectionStateChange(onChange: (state: ConnectionState) => void, isEnabled = true): void {
  const handleChange = useEffectEvent(onChange);
  useEffect(
    () => (isEnabled ? realtime.onConnectionStateChange(() => handleChange(realtime.getConnectionState())) : undefined),
    [isEnabled],
  );
}
