import { type DeviceState, RECONNECT_TIMEOUT_MS } from '#platform/contract/device.ts';
import type { Timers } from '../schedule/timers.ts';
import type { Connection } from '../tool.ts';
import type { Device } from './deviceLink.ts';

/** A connection of a device, with the session that it came by. */
interface DeviceConnection {
  readonly connection: Connection;
  readonly session: number;
}

interface PresenceEntry {
  readonly device: Device;
  /** Oldest first: a computer has one, a browser one for each page; none while it is Reconnecting. */
  readonly lines: readonly DeviceConnection[];
  /** Of the newest line: when that ends, a device that is Reconnecting is not waited for. */
  readonly session: number;
  /** Counts up: the later, the more recently it was used or came. */
  readonly used: number;
}

/**
 * Why a device's state changed: `left` of its own will, `expired` as it did not come back in time, `given up` as its session ended or it was removed
 * while it was Reconnecting.
 */
type StateChangeReason = 'came' | 'lost' | 'left' | 'ended' | 'expired' | 'given up';

/** Which devices are connected, in memory. A device of which nothing stands here is Disconnected. */
export interface Presence {
  readonly getState: (device: number) => DeviceState;
  /** How many are connected. */
  readonly countConnected: () => number;
  /** The newest connection itself, to tell one from the next. */
  readonly getConnection: (device: number) => Connection | undefined;
  /** The device says hello on this connection. A computer's older one is closed as `replaced`; a browser may have several. */
  readonly connect: (device: Device, session: number, connection: Connection) => void;
  /** The device lost its connection before this server started: it may come back within so many milliseconds. */
  readonly expectReconnect: (device: Device, session: number | undefined, ms: number) => void;
  /** The device takes its leave on this connection, which goes on without it. */
  readonly disconnect: (connection: Connection) => void;
  /** Its name or abilities changed. */
  readonly updateDevice: (device: Device) => void;
  /** It is gone for good. */
  readonly removeDevice: (device: number) => void;
  readonly onSessionsEnded: (sessions: readonly number[]) => void;
  readonly markUsed: (device: number) => void;
  /** Computers of the account that are connected, or else that may come back in a moment; the most recently used first. */
  readonly listAvailable: (account: number) => readonly Device[];
  /** Waits until its state has changed, for `ms` at most. */
  readonly waitForChange: (device: number, ms: number) => Promise<void>;
  readonly stop: () => void;
}

/** Of a device of which the last session is not known. */
const NO_SESSION = 0;

export function createPresence(
  timers: Timers,
  tell: (device: Device, state: DeviceState, why: StateChangeReason, session: number) => void,
): Presence {
  const entries = new Map<number, PresenceEntry>();
  const waits = new Map<number, () => void>();
  const changes = new Map<number, Set<() => void>>();
  let uses = 0;

  const state = (device: number): DeviceState => {
    const entry = entries.get(device);
    if (!entry) return 'Disconnected';
    return entry.lines.length > 0 ? 'Connected' : 'Reconnecting';
  };
  const changed = ({ device, session }: PresenceEntry, why: StateChangeReason): void => {
    tell(device, state(device.id), why, session);
    for (const then of changes.get(device.id) ?? []) then();
  };
  const callOff = (device: number): void => {
    waits.get(device)?.();
    waits.delete(device);
  };
  const drop = (device: number, cause: StateChangeReason = 'ended'): void => {
    const entry = entries.get(device);
    const why = cause === 'ended' && entry?.lines.length === 0 ? 'given up' : cause;
    callOff(device);
    if (entries.delete(device) && entry) changed(entry, why);
  };
  const startWait = (device: number, entry: PresenceEntry, ms: number): void => {
    entries.set(device, { ...entry, lines: [] });
    waits.set(
      device,
      timers.schedule(ms, () => drop(device, 'expired')),
    );
  };
  const waitFor = (device: number, entry: PresenceEntry): void => {
    startWait(device, entry, RECONNECT_TIMEOUT_MS);
    changed(entry, 'lost');
  };
  const isOn = (entry: PresenceEntry | undefined, { id }: Connection): boolean =>
    entry?.lines.some(({ connection }) => connection.id === id) === true;

  /** Takes one connection away; with the last one the device itself is gone. */
  const cut = (device: number, gone: Connection, why: 'lost' | 'left' | 'ended'): void => {
    const entry = entries.get(device);
    if (entry === undefined || !isOn(entry, gone)) return;
    const lines = entry.lines.filter(({ connection }) => connection.id !== gone.id);
    if (lines.length > 0) entries.set(device, { ...entry, lines });
    else if (why === 'lost') waitFor(device, entry);
    else drop(device, why);
  };

  const arrive: Presence['connect'] = (device, session, connection) => {
    const before = entries.get(device.id);
    callOff(device.id);
    uses += 1;
    const others = before?.lines.filter((line) => line.connection.id !== connection.id) ?? [];
    const kept = device.kind === 'browser' ? others : [];
    const entry: PresenceEntry = { device, session, lines: [...kept, { connection, session }], used: uses };
    entries.set(device.id, entry);
    if (kept.length === 0) for (const line of others) line.connection.close('replaced');
    changed(entry, 'came');
    if (isOn(before, connection)) return;
    connection.onClose((reason) => cut(device.id, connection, reason === 'session ended' ? 'ended' : 'lost'));
  };

  return {
    getState: state,
    countConnected: () => [...entries.values()].filter(({ lines }) => lines.length > 0).length,
    getConnection: (device) => entries.get(device)?.lines.at(-1)?.connection,
    connect: arrive,
    expectReconnect: (device, session = NO_SESSION, ms) => {
      if (!entries.has(device.id)) startWait(device.id, { device, lines: [], session, used: 0 }, ms);
    },
    disconnect: (connection) => {
      for (const [device, entry] of entries) if (isOn(entry, connection)) cut(device, connection, 'left');
    },
    updateDevice: (device) => {
      const entry = entries.get(device.id);
      if (entry) entries.set(device.id, { ...entry, device });
    },
    removeDevice: (device) => drop(device),
    onSessionsEnded: (sessions) => {
      for (const [device, { lines, session }] of entries) {
        if (lines.length === 0 && sessions.includes(session)) drop(device);
        for (const line of lines) if (sessions.includes(line.session)) cut(device, line.connection, 'ended');
      }
    },
    markUsed: (device) => {
      const entry = entries.get(device);
      uses += 1;
      if (entry) entries.set(device, { ...entry, used: uses });
    },
    listAvailable: (account) => {
      const own = [...entries.values()].filter(
        ({ device }) => device.account === account && device.kind === 'computer',
      );
      const connected = own.filter(({ lines }) => lines.length > 0);
      return (connected.length > 0 ? connected : own)
        .toSorted((one, other) => other.used - one.used)
        .map(({ device }) => device);
    },
    waitForChange: (device, ms) =>
      new Promise((resolve) => {
        const listening = changes.get(device) ?? new Set();
        changes.set(device, listening);
        const end = (): void => {
          late();
          listening.delete(end);
          if (listening.size === 0 && changes.get(device) === listening) changes.delete(device);
          resolve();
        };
        const late = timers.schedule(ms, end);
        listening.add(end);
      }),
    stop: () => {
      for (const device of waits.keys()) callOff(device);
    },
  };
}
