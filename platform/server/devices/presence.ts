import { type DeviceState, RECONNECTING_MS } from '#platform/contract/device.ts';
import type { Timers } from '../realtime/timers.ts';
import type { Connection } from '../tool.ts';
import type { Device } from './link.ts';

interface Entry {
  readonly device: Device;
  /** The session of its token: when that ends, it is not waited for. */
  readonly session: number;
  /** Undefined while it is Reconnecting. */
  readonly connection: Connection | undefined;
  /** Counts up: the later, the more recently it was used or came. */
  readonly used: number;
}

/** Which devices are connected, in memory. A device of which nothing stands here is Disconnected. */
export interface Presence {
  readonly state: (device: number) => DeviceState;
  /** How many are connected. */
  readonly connected: () => number;
  /** The connection itself, to tell one from the next. */
  readonly connection: (device: number) => Connection | undefined;
  /** The device says hello on this connection; an older one of the same device is closed as `replaced`. */
  readonly arrive: (device: Device, session: number, connection: Connection) => void;
  /** Its name or abilities changed. */
  readonly update: (device: Device) => void;
  /** It is gone for good. */
  readonly forget: (device: number) => void;
  readonly sessionsEnded: (sessions: readonly number[]) => void;
  readonly touch: (device: number) => void;
  /** Devices of the account that are connected, or else that may come back in a moment; the most recently used first. */
  readonly present: (account: number) => readonly Device[];
  /** Waits until its state has changed, for `ms` at most. */
  readonly change: (device: number, ms: number) => Promise<void>;
  readonly stop: () => void;
}

export const makePresence = (
  timers: Timers,
  tell: (device: Device, state: DeviceState, why: 'came' | 'lost' | 'ended') => void,
): Presence => {
  const entries = new Map<number, Entry>();
  const waits = new Map<number, () => void>();
  const changes = new Map<number, Set<() => void>>();
  let uses = 0;

  const state = (device: number): DeviceState => {
    const entry = entries.get(device);
    if (!entry) return 'Disconnected';
    return entry.connection ? 'Connected' : 'Reconnecting';
  };
  const changed = (device: Device, why: 'came' | 'lost' | 'ended'): void => {
    tell(device, state(device.id), why);
    for (const then of changes.get(device.id) ?? []) then();
  };
  const callOff = (device: number): void => {
    waits.get(device)?.();
    waits.delete(device);
  };
  const drop = (device: number): void => {
    const entry = entries.get(device);
    callOff(device);
    if (entries.delete(device) && entry) changed(entry.device, 'ended');
  };
  const lose = (device: number, entry: Entry): void => {
    entries.set(device, { ...entry, connection: undefined });
    waits.set(
      device,
      timers.after(RECONNECTING_MS, () => drop(device)),
    );
    changed(entry.device, 'lost');
  };

  const arrive: Presence['arrive'] = (device, session, connection) => {
    const before = entries.get(device.id);
    callOff(device.id);
    uses += 1;
    entries.set(device.id, { device, session, connection, used: uses });
    if (before?.connection?.id === connection.id) return changed(device, 'came');
    before?.connection?.close('replaced');
    changed(device, 'came');
    connection.onClose((reason) => {
      const entry = entries.get(device.id);
      if (entry?.connection?.id !== connection.id) return;
      if (reason === 'session ended') drop(device.id);
      else lose(device.id, entry);
    });
  };

  return {
    state,
    connected: () => [...entries.values()].filter(({ connection }) => connection !== undefined).length,
    connection: (device) => entries.get(device)?.connection,
    arrive,
    update: (device) => {
      const entry = entries.get(device.id);
      if (entry) entries.set(device.id, { ...entry, device });
    },
    forget: drop,
    sessionsEnded: (sessions) => {
      for (const [device, { session }] of entries) if (sessions.includes(session)) drop(device);
    },
    touch: (device) => {
      const entry = entries.get(device);
      uses += 1;
      if (entry) entries.set(device, { ...entry, used: uses });
    },
    present: (account) => {
      const own = [...entries.values()].filter((entry) => entry.device.account === account);
      const connected = own.filter(({ connection }) => connection !== undefined);
      return (connected.length > 0 ? connected : own)
        .toSorted((one, other) => other.used - one.used)
        .map(({ device }) => device);
    },
    change: (device, ms) =>
      new Promise((resolve) => {
        const listening = changes.get(device) ?? new Set();
        changes.set(device, listening);
        const end = (): void => {
          late();
          listening.delete(end);
          if (listening.size === 0 && changes.get(device) === listening) changes.delete(device);
          resolve();
        };
        const late = timers.after(ms, end);
        listening.add(end);
      }),
    stop: () => {
      for (const device of waits.keys()) callOff(device);
    },
  };
};
