import { type DeviceState, RECONNECT_TIMEOUT_MS } from '#platform/contract/device.ts';
import type { Timers } from '../schedule/timers.ts';
import type { Connection } from '../tool.ts';
import type { Device } from './deviceLink.ts';

/** A connection of a device, and its session. */
interface DeviceConnection {
  readonly connection: Connection;
  readonly session: number;
}

interface PresenceEntry {
  readonly device: Device;
  /** Oldest first. A computer has one, a browser one for each page; none while it is Reconnecting. */
  readonly connections: readonly DeviceConnection[];
  /**
   * Session of the newest connection; undefined if it is unknown.
   * When it ends, the server stops waiting for a Reconnecting device.
   */
  readonly session: number | undefined;
  /** Number that rises with each use or connection of any device, for sorting. */
  readonly lastUse: number;
}

/**
 * Why a device's state changed: `left` on purpose, `expired` after the timeout,
 * `abandoned` because its session ended or it was removed while it was Reconnecting.
 */
type StateChangeReason = 'connected' | 'lost' | 'left' | 'ended' | 'expired' | 'abandoned';

/** Tracks in memory which devices are connected. A device without an entry is Disconnected. */
export interface Presence {
  readonly getState: (deviceId: number) => DeviceState;
  /** Returns the number of connected devices. */
  readonly countConnected: () => number;
  /** Returns the newest connection, which changes with each reconnect. */
  readonly getConnection: (deviceId: number) => Connection | undefined;
  /** Called for a hello on this connection. Closes a computer's older one as `replaced`; a browser may have several. */
  readonly connect: (device: Device, session: number, connection: Connection) => void;
  /** Called for a device that lost its connection before this server started, and may return within `ms`. */
  readonly expectReconnect: (device: Device, session: number | undefined, ms: number) => void;
  /** Called when the device says goodbye. The connection stays open. */
  readonly disconnect: (connection: Connection) => void;
  /** Called after a change of name or abilities. */
  readonly updateDevice: (device: Device) => void;
  /** Called when the device is deleted. */
  readonly removeDevice: (deviceId: number) => void;
  readonly onSessionsEnded: (sessions: readonly number[]) => void;
  readonly markUsed: (deviceId: number) => void;
  /** Lists connected computers of the account, or else Reconnecting ones; most recently used first. */
  readonly listAvailable: (account: number) => readonly Device[];
  /** Waits until the state of the device changes, for at most `ms`. */
  readonly waitForChange: (deviceId: number, ms: number) => Promise<void>;
  readonly stop: () => void;
}

/** Creates the tracker. `onChange` is called for each change of state. */
export function createPresence(
  timers: Timers,
  onChange: (device: Device, state: DeviceState, reason: StateChangeReason, session: number | undefined) => void,
): Presence {
  const entries = new Map<number, PresenceEntry>();
  const cancelTimeoutByDevice = new Map<number, () => void>();
  const listenersByDevice = new Map<number, Set<() => void>>();
  let useCount = 0;

  function getState(deviceId: number): DeviceState {
    const entry = entries.get(deviceId);
    if (!entry) return 'Disconnected';
    return entry.connections.length > 0 ? 'Connected' : 'Reconnecting';
  }
  function notify({ device, session }: PresenceEntry, reason: StateChangeReason): void {
    onChange(device, getState(device.id), reason, session);
    for (const listener of listenersByDevice.get(device.id) ?? []) listener();
  }
  function cancelTimeout(deviceId: number): void {
    cancelTimeoutByDevice.get(deviceId)?.();
    cancelTimeoutByDevice.delete(deviceId);
  }
  function removeEntry(deviceId: number, cause: StateChangeReason = 'ended'): void {
    const entry = entries.get(deviceId);
    const reason = cause === 'ended' && entry?.connections.length === 0 ? 'abandoned' : cause;
    cancelTimeout(deviceId);
    if (entries.delete(deviceId) && entry) notify(entry, reason);
  }
  function startTimeout(deviceId: number, entry: PresenceEntry, ms: number): void {
    entries.set(deviceId, { ...entry, connections: [] });
    cancelTimeoutByDevice.set(
      deviceId,
      timers.schedule(ms, () => removeEntry(deviceId, 'expired')),
    );
  }
  function startReconnecting(deviceId: number, entry: PresenceEntry): void {
    startTimeout(deviceId, entry, RECONNECT_TIMEOUT_MS);
    notify(entry, 'lost');
  }
  const hasConnection = (entry: PresenceEntry | undefined, { id }: Connection): boolean =>
    entry?.connections.some(({ connection }) => connection.id === id) === true;

  /** Removes a connection, and the device with the last one. */
  function removeConnection(deviceId: number, closedConnection: Connection, reason: 'lost' | 'left' | 'ended'): void {
    const entry = entries.get(deviceId);
    if (entry === undefined || !hasConnection(entry, closedConnection)) return;
    const connections = entry.connections.filter(({ connection }) => connection.id !== closedConnection.id);
    if (connections.length > 0) entries.set(deviceId, { ...entry, connections });
    else if (reason === 'lost') startReconnecting(deviceId, entry);
    else removeEntry(deviceId, reason);
  }

  const connect: Presence['connect'] = (device, session, connection) => {
    const previous = entries.get(device.id);
    cancelTimeout(device.id);
    useCount += 1;
    const otherConnections = previous?.connections.filter((item) => item.connection.id !== connection.id) ?? [];
    const remaining = device.kind === 'browser' ? otherConnections : [];
    const entry: PresenceEntry = {
      device,
      session,
      connections: [...remaining, { connection, session }],
      lastUse: useCount,
    };
    entries.set(device.id, entry);
    if (remaining.length === 0) for (const item of otherConnections) item.connection.close('replaced');
    notify(entry, 'connected');
    if (hasConnection(previous, connection)) return;
    connection.onClose((reason) =>
      removeConnection(device.id, connection, reason === 'session ended' ? 'ended' : 'lost'),
    );
  };

  return {
    getState,
    countConnected: () => [...entries.values()].filter(({ connections }) => connections.length > 0).length,
    getConnection: (deviceId) => entries.get(deviceId)?.connections.at(-1)?.connection,
    connect,
    expectReconnect: (device, session, ms) => {
      if (!entries.has(device.id)) startTimeout(device.id, { device, connections: [], session, lastUse: 0 }, ms);
    },
    disconnect: (connection) => {
      for (const [deviceId, entry] of entries)
        if (hasConnection(entry, connection)) removeConnection(deviceId, connection, 'left');
    },
    updateDevice: (device) => {
      const entry = entries.get(device.id);
      if (entry) entries.set(device.id, { ...entry, device });
    },
    removeDevice: (deviceId) => removeEntry(deviceId),
    onSessionsEnded: (sessions) => {
      for (const [deviceId, { connections, session }] of entries) {
        if (connections.length === 0 && session !== undefined && sessions.includes(session)) removeEntry(deviceId);
        for (const item of connections)
          if (sessions.includes(item.session)) removeConnection(deviceId, item.connection, 'ended');
      }
    },
    markUsed: (deviceId) => {
      const entry = entries.get(deviceId);
      useCount += 1;
      if (entry) entries.set(deviceId, { ...entry, lastUse: useCount });
    },
    listAvailable: (account) => {
      const computers = [...entries.values()].filter(
        ({ device }) => device.account === account && device.kind === 'computer',
      );
      const connected = computers.filter(({ connections }) => connections.length > 0);
      return (connected.length > 0 ? connected : computers)
        .toSorted((first, second) => second.lastUse - first.lastUse)
        .map(({ device }) => device);
    },
    waitForChange: (deviceId, ms) =>
      new Promise((resolve) => {
        const listeners = listenersByDevice.get(deviceId) ?? new Set();
        listenersByDevice.set(deviceId, listeners);
        function finish(): void {
          cancelTimer();
          listeners.delete(finish);
          if (listeners.size === 0 && listenersByDevice.get(deviceId) === listeners) listenersByDevice.delete(deviceId);
          resolve();
        }
        const cancelTimer = timers.schedule(ms, finish);
        listeners.add(finish);
      }),
    stop: () => {
      for (const deviceId of cancelTimeoutByDevice.keys()) cancelTimeout(deviceId);
    },
  };
}
