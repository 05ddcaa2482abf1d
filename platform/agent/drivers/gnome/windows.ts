import type { SessionBus } from '@homebridge/dbus-native';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Ability, OpenWindow, WindowsDriver } from '../drivers.ts';
import { getProgramName } from '../processes.ts';
import { callBus } from '../sessionBus.ts';
import type { ExtensionClient, ExtensionState } from './extensionClient.ts';
import type { GnomeWindow } from './keyboard.ts';

const UNNAMED_APPLICATION = 'Unnamed';
const IDLE_MONITOR = {
  destination: 'org.gnome.Mutter.IdleMonitor',
  path: '/org/gnome/Mutter/IdleMonitor/Core',
  interface: 'org.gnome.Mutter.IdleMonitor',
} as const;
const NO_IDLE_TIME_MESSAGE = "The desktop of that computer doesn't report idle time";

/** Its search gets the keys while it is open. */
const OVERVIEW: GnomeWindow = { id: 0, application: '', isX11: false };

type ExtensionWindow = ExtensionState['windows'][number];

const toOpenWindow = ({ id, application, pid }: ExtensionWindow): OpenWindow => ({
  id,
  application: application || getProgramName(pid) || UNNAMED_APPLICATION,
  pid: pid > 0 ? pid : undefined,
});

/** Returns what gets the keys; undefined if the extension doesn't run, null if nothing has the focus. */
export function findFocused(state: ExtensionState | undefined): GnomeWindow | null | undefined {
  if (state?.isOverviewOpen) return OVERVIEW;
  return state && (state.windows.find(({ isFocused }) => isFocused) ?? null);
}

/**
 * Follows the windows through our extension.
 * @param getMissingReason says why the extension doesn't run, and what to do.
 */
export function createGnomeWindows(
  bus: SessionBus,
  extension: ExtensionClient,
  getMissingReason: () => string,
): WindowsDriver {
  const listWindows = (): readonly ExtensionWindow[] => extension.getState()?.windows ?? [];
  return {
    get ability(): Ability {
      return extension.getState() ? { able: true } : { able: false, reason: getMissingReason() };
    },
    getActive: () =>
      listWindows()
        .filter(({ isFocused }) => isFocused)
        .map(toOpenWindow)[0],
    listOpen: () => listWindows().map(toOpenWindow),
    onChange: extension.onChange,
    getTitle: async (id) => listWindows().find((window) => window.id === id)?.title ?? '',
    getIdleMs: async () => {
      try {
        return Number(await callBus(bus, { ...IDLE_MONITOR, member: 'GetIdletime' }));
      } catch (cause) {
        throw new Refusal('windows.no_idle_time', NO_IDLE_TIME_MESSAGE, { cause });
      }
    },
  };
}
