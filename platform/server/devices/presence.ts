import { type DeviceState, RECONNECT_TIMEOUT_MS } from '#platform/contract/device.ts';
import type { CloseReason } from '#platform/contract/realtime.ts';
import { loneCluster, type Cluster } from '../cluster/cluster.ts';
import type { Timers } from '../schedule/timers.ts';
import type { Connection } from '../tool.ts';
import type { Device } from './deviceLink.ts';

/** A connection of a device, at this or another instance. */
export interface DeviceConnection {
  readonly id: string;
  readonly session: number;
  /** Number that rises with each connection of the device, at any instance: about milliseconds since the epoch. */
  readonly since: number;
  /** The other instance that holds it; undefined for this one. */
  readonly instance: string | undefined;
  /** Closes it, if this instance holds it. */
  readonly close: (reason: CloseReason) => void;
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
export type StateChangeReason = 'connected' | 'lost' | 'left' | 'ended' | 'expired' | 'abandoned';

/** A connection, as its instance reports it to the others. */
interface ReportedConnection {
  readonly device: DeviceJson;
  readonly connection: Pick<DeviceConnection, 'id' | 'session' | 'since'>;
  readonly lastUse: number;
}

/** What an instance publishes about its connections. After `all`, it has no others. */
type PresenceMessage =
  | { readonly kind: 'all'; readonly connected: readonly ReportedConnection[] }
  | ({ readonly kind: 'connected' } & ReportedConnection)
  | {
      readonly kind: 'closed';
      readonly device: number;
      readonly connection: string;
      readonly reason: 'lost' | 'left' | 'ended';
    }
  | { readonly kind: 'used'; readonly device: number; readonly lastUse: number };

/** A device in a message to another instance. */
export type DeviceJson = Omit<Device, 'created' | 'lastSeen'> & {
  readonly created: string;
  readonly lastSeen?: string | undefined;
};

/** Parses a device from another instance. */
export const parseDevice = ({ created, lastSeen, ...device }: DeviceJson): Device => ({
  ...device,
  created: Temporal.Instant.from(created),
  lastSeen: lastSeen === undefined ? undefined : Temporal.Instant.from(lastSeen),
});
const toDeviceJson = ({ created, lastSeen, ...device }: Device): DeviceJson => ({
  ...device,
  created: created.toString(),
  lastSeen: lastSeen?.toString(),
});

function toReported(device: Device, { id, session, since }: DeviceConnection, lastUse: number): ReportedConnection {
  return { device: toDeviceJson(device), connection: { id, session, since }, lastUse };
}

/**
 * Tracks in memory which devices are connected, to any instance: each publishes its own connections.
 * A device without an entry is Disconnected.
 */
export interface Presence {
  readonly getState: (deviceId: number) => DeviceState;
  /** Returns the number of connected devices. */
  readonly countConnected: () => number;
  /** Returns the newest connection, which changes with each reconnect. */
  readonly getConnection: (deviceId: number) => DeviceConnection | undefined;
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

/** A change of a device's state. */
export interface StateChange {
  readonly device: Device;
  readonly state: DeviceState;
  readonly reason: StateChangeReason;
  readonly session: number | undefined;
  /** Whether another instance saves the change. */
  readonly isSavedElsewhere: boolean;
}

export interface PresenceDeps {
  readonly timers: Timers;
  readonly now: () => Temporal.Instant;
  readonly cluster?: Cluster | undefined;
  /** Called for each change of state, at every instance. */
  readonly onChange: (change: StateChange) => void;
  /** Called when a device has connected to another instance, with its current description. */
  readonly onConnectedElsewhere?: (device: Device) => void;
}

/** Creates the tracker. */
export function createPresence(deps: PresenceDeps): Presence {
  const { timers, now, cluster = loneCluster, onChange, onConnectedElsewhere } = deps;
  const publish = (message: PresenceMessage): void => cluster.publish('presence', message);
  const entries = new Map<number, PresenceEntry>();
  const cancelTimeoutByDevice = new Map<number, () => void>();
  const listenersByDevice = new Map<number, Set<() => void>>();
  let useCount = 0;

  function getState(deviceId: number): DeviceState {
    const entry = entries.get(deviceId);
    if (!entry) return 'Disconnected';
    return entry.connections.length > 0 ? 'Connected' : 'Reconnecting';
  }
  function notify({ device, session }: PresenceEntry, reason: StateChangeReason, isSavedElsewhere = false): void {
    onChange({ device, state: getState(device.id), reason, session, isSavedElsewhere });
    for (const listener of listenersByDevice.get(device.id) ?? []) listener();
  }
  function cancelTimeout(deviceId: number): void {
    cancelTimeoutByDevice.get(deviceId)?.();
    cancelTimeoutByDevice.delete(deviceId);
  }
  function removeEntry(deviceId: number, cause: StateChangeReason = 'ended', isSavedElsewhere = false): void {
    const entry = entries.get(deviceId);
    const reason = cause === 'ended' && entry?.connections.length === 0 ? 'abandoned' : cause;
    cancelTimeout(deviceId);
    if (entries.delete(deviceId) && entry) notify(entry, reason, isSavedElsewhere);
  }
  function startTimeout(deviceId: number, entry: PresenceEntry, ms: number): void {
    entries.set(deviceId, { ...entry, connections: [] });
    cancelTimeoutByDevice.set(
      deviceId,
      timers.schedule(ms, () => removeEntry(deviceId, 'expired')),
    );
  }
  function startReconnecting(deviceId: number, entry: PresenceEntry, isSavedElsewhere: boolean): void {
    startTimeout(deviceId, entry, RECONNECT_TIMEOUT_MS);
    notify(entry, 'lost', isSavedElsewhere);
  }
  const hasConnection = (entry: PresenceEntry | undefined, id: string): boolean =>
    entry?.connections.some((connection) => connection.id === id) === true;

  /** Removes a connection, and the device with the last one. */
  function removeConnection(
    deviceId: number,
    closedId: string,
    reason: 'lost' | 'left' | 'ended',
    isSavedElsewhere = false,
  ): void {
    const entry = entries.get(deviceId);
    const closed = entry?.connections.find(({ id }) => id === closedId);
    if (entry === undefined || closed === undefined) return;
    if (closed.instance === undefined) publish({ kind: 'closed', device: deviceId, connection: closedId, reason });
    const connections = entry.connections.filter(({ id }) => id !== closedId);
    if (connections.length > 0) entries.set(deviceId, { ...entry, connections });
    else if (reason === 'lost') startReconnecting(deviceId, entry, isSavedElsewhere);
    else removeEntry(deviceId, reason, isSavedElsewhere);
  }

  /** Adds a connection. A computer has only its newest one, and an older one is closed as `replaced`. */
  function addConnection(device: Device, added: DeviceConnection, lastUse: number): void {
    const previous = entries.get(device.id);
    const others = previous?.connections.filter(({ id }) => id !== added.id) ?? [];
    // Another instance may report a connection after its successor, because it has not noticed that it is broken.
    if (device.kind === 'computer' && others.some(({ since }) => since > added.since)) return;
    cancelTimeout(device.id);
    useCount = Math.max(useCount, lastUse);
    const remaining = device.kind === 'browser' ? others : [];
    const entry: PresenceEntry = {
      device,
      session: added.session,
      connections: [...remaining, added].toSorted((first, second) => first.since - second.since),
      lastUse: Math.max(lastUse, previous?.lastUse ?? 0),
    };
    entries.set(device.id, entry);
    if (remaining.length === 0) for (const other of others) other.close('replaced');
    if (added.instance === undefined || !hasConnection(previous, added.id))
      notify(entry, 'connected', added.instance !== undefined);
  }

  const connect: Presence['connect'] = (device, session, connection) => {
    const previous = entries.get(device.id);
    const isNew = !hasConnection(previous, connection.id);
    const latest = Math.max(0, ...(previous?.connections.map(({ since }) => since) ?? []));
    useCount += 1;
    const added: DeviceConnection = {
      id: connection.id,
      session,
      since: Math.max(now().epochMilliseconds, latest + 1),
      instance: undefined,
      close: connection.close,
    };
    addConnection(device, added, useCount);
    if (cluster.isShared) publish({ kind: 'connected', ...toReported(device, added, useCount) });
    if (!isNew) return;
    connection.onClose((reason) =>
      removeConnection(device.id, connection.id, reason === 'session ended' ? 'ended' : 'lost'),
    );
  };

  function markUsed(deviceId: number, lastUse: number): void {
    const entry = entries.get(deviceId);
    useCount = Math.max(useCount, lastUse);
    if (entry) entries.set(deviceId, { ...entry, lastUse });
  }

  function addReported({ device: json, connection, lastUse }: ReportedConnection, instance: string): void {
    const device = parseDevice(json);
    onConnectedElsewhere?.(device);
    addConnection(device, { ...connection, instance, close: () => undefined }, lastUse);
  }
  /** Removes connections that an instance no longer has. */
  function removeReported(instance: string, remainingIds: ReadonlySet<string>, isSavedElsewhere: boolean): void {
    for (const [deviceId, { connections }] of entries)
      for (const { id, instance: holder } of connections)
        if (holder === instance && !remainingIds.has(id)) removeConnection(deviceId, id, 'lost', isSavedElsewhere);
  }
  cluster.subscribe('presence', (message: PresenceMessage, instance) => {
    if (message.kind === 'used') markUsed(message.device, message.lastUse);
    else if (message.kind === 'closed') removeConnection(message.device, message.connection, message.reason, true);
    else if (message.kind === 'connected') addReported(message, instance);
    else {
      removeReported(instance, new Set(message.connected.map(({ connection }) => connection.id)), true);
      for (const reported of message.connected) addReported(reported, instance);
    }
  });
  cluster.onJoined(() => {
    const connected = [...entries.values()].flatMap(({ device, connections, lastUse }) =>
      connections
        .filter(({ instance }) => instance === undefined)
        .map((connection) => toReported(device, connection, lastUse)),
    );
    publish({ kind: 'all', connected });
  });
  cluster.onLeft((instance) => removeReported(instance, new Set(), false));

  return {
    getState,
    countConnected: () => [...entries.values()].filter(({ connections }) => connections.length > 0).length,
    getConnection: (deviceId) => entries.get(deviceId)?.connections.at(-1),
    connect,
    expectReconnect: (device, session, ms) => {
      if (!entries.has(device.id)) startTimeout(device.id, { device, connections: [], session, lastUse: 0 }, ms);
    },
    disconnect: (connection) => {
      for (const [deviceId, entry] of entries)
        if (hasConnection(entry, connection.id)) removeConnection(deviceId, connection.id, 'left');
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
          if (sessions.includes(item.session))
            removeConnection(deviceId, item.id, 'ended', item.instance !== undefined);
      }
    },
    markUsed: (deviceId) => {
      // The device that was used last stays that.
      if (entries.get(deviceId)?.lastUse === useCount) return;
      markUsed(deviceId, useCount + 1);
      publish({ kind: 'used', device: deviceId, lastUse: useCount });
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
