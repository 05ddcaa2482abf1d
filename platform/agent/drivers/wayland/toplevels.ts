import type { OpenWindow, WindowsDriver } from '../drivers.ts';
import type { WaylandConnection } from './connection.ts';
import { NO_IDLE_TIME_MESSAGE, type IdleTime } from './idleTime.ts';
import type { FocusedWindow } from './keyboard.ts';

const ACTIVATED_STATE = 2;
const UNNAMED_APPLICATION = 'Unnamed';
const NO_WINDOWS_MESSAGE = "The desktop of that computer doesn't report the active window";

interface Toplevel {
  readonly id: number;
  application: string;
  title: string;
  isActive: boolean;
}

export interface ToplevelWindows extends WindowsDriver {
  readonly readFocused: () => Promise<FocusedWindow | undefined>;
}

/** Returns the numbers in an array of the protocol. */
const toNumbers = (bytes: Buffer): readonly number[] =>
  Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readUInt32LE(index * 4));

/** Follows windows by `wlr-foreign-toplevel-management`. It doesn't report the process of a window. */
export async function openToplevels(connection: WaylandConnection, idleTime: IdleTime): Promise<ToplevelWindows> {
  const listeners: (() => void)[] = [];
  const toplevels = new Map<number, Toplevel>();
  let nextId = 1;
  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  const manager = connection.bind('zwlr_foreign_toplevel_manager_v1', 3, {
    toplevel: (handle) => {
      const id = nextId++;
      const next: Toplevel = { id, application: '', title: '', isActive: false };
      handle.listen({
        title: (title) => void (next.title = title),
        app_id: (application) => void (next.application = application),
        state: (states) => void (next.isActive = toNumbers(states).includes(ACTIVATED_STATE)),
        done: () => {
          toplevels.set(id, { ...next });
          notify();
        },
        closed: () => {
          toplevels.delete(id);
          handle.send('destroy');
          notify();
        },
      });
    },
  });
  await connection.sync();
  const toOpenWindow = ({ id, application }: Toplevel): OpenWindow => ({
    id,
    application: application || UNNAMED_APPLICATION,
    pid: undefined,
  });
  const findActive = (): Toplevel | undefined => [...toplevels.values()].find(({ isActive }) => isActive);
  const missing = manager ? NO_IDLE_TIME_MESSAGE : NO_WINDOWS_MESSAGE;
  return {
    ability: manager && idleTime.isAvailable ? { able: true } : { able: false, reason: missing },
    getActive: () => {
      const active = findActive();
      return active && toOpenWindow(active);
    },
    // Without the protocol the focus is unknown, and typing must not be refused.
    readFocused: async () => {
      await connection.sync();
      const id = manager ? findActive()?.id : 0;
      return id === undefined ? undefined : { id, isX11: undefined };
    },
    listOpen: () => [...toplevels.values()].map(toOpenWindow),
    onChange: (listener) => void listeners.push(listener),
    getTitle: async (id) => toplevels.get(id)?.title ?? '',
    getIdleMs: async () => idleTime.getIdleMs(),
  };
}
