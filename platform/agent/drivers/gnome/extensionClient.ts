import type { DBusMessage, SessionBus } from '@homebridge/dbus-native';
import * as z from 'zod/mini';
import { callBus, hasNameOwner, matchSignals, START_TIMEOUT_MS } from '../sessionBus.ts';
import { EXTENSION_SERVICE } from './shellExtension.ts';

const extensionState = z.object({
  windows: z.array(
    z.object({
      id: z.number(),
      application: z.string(),
      pid: z.number(),
      title: z.string(),
      isX11: z.boolean(),
      isFocused: z.boolean(),
    }),
  ),
  /** The extension of an earlier agent, which runs until the user signs in again, doesn't report it. */
  isOverviewOpen: z.optional(z.boolean()),
  /** Index of the active layout in the keymap. */
  layoutGroup: z.number(),
});
/** Windows and the active keyboard layout, as the extension reports them. */
export type ExtensionState = z.output<typeof extensionState>;

/** Our extension in GNOME Shell. */
export interface ExtensionClient extends Disposable {
  /** Returns the last state; undefined while the extension doesn't run. */
  readonly getState: () => ExtensionState | undefined;
  /** Registers a listener for changes, also of whether the extension runs. */
  readonly onChange: (listener: () => void) => void;
  /** Registers a listener for pressed hotkeys, with their index. */
  readonly onHotkey: (listener: (index: number, isRepeated: boolean) => void) => void;
  /** Replaces the hotkeys. Returns which ones are accepted. @throws if the extension doesn't answer. */
  readonly setHotkeys: (accelerators: readonly string[]) => Promise<readonly boolean[]>;
}

function parseState(text: unknown): ExtensionState | undefined {
  try {
    return extensionState.parse(JSON.parse(String(text)));
  } catch {
    return undefined; // another version of the extension
  }
}

/**
 * Follows the extension, which can appear and disappear: the user can switch it off.
 * @throws if the bus does not answer.
 */
export async function openExtensionClient(bus: SessionBus): Promise<ExtensionClient> {
  const listeners: (() => void)[] = [];
  const hotkeyListeners: ((index: number, isRepeated: boolean) => void)[] = [];
  let state: ExtensionState | undefined;
  function setState(next: ExtensionState | undefined): void {
    state = next;
    for (const listener of listeners) listener();
  }
  async function read(): Promise<void> {
    const stateBefore = state;
    const call = { ...EXTENSION_SERVICE, member: 'GetState' };
    const text = await callBus(bus, call, START_TIMEOUT_MS).catch(() => undefined);
    // What was reported meanwhile is newer.
    if (state === stateBefore) setState(parseState(text));
  }
  function handleMessage({ path, member, interface: interfaceName, body = [] }: DBusMessage): void {
    if (member === 'NameOwnerChanged' && body[0] === EXTENSION_SERVICE.destination) {
      if (body[2] === '') setState(undefined);
      else void read();
    }
    if (path !== EXTENSION_SERVICE.path || interfaceName !== EXTENSION_SERVICE.interface) return;
    if (member === 'StateChanged') setState(parseState(body[0]));
    if (member === 'HotkeyPressed') for (const listener of hotkeyListeners) listener(Number(body[0]), body[1] === true);
  }
  bus.connection.on('message', handleMessage);
  await matchSignals(bus, `type='signal',interface='${EXTENSION_SERVICE.interface}'`, START_TIMEOUT_MS);
  await matchSignals(
    bus,
    `type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='${EXTENSION_SERVICE.destination}'`,
    START_TIMEOUT_MS,
  );
  if (await hasNameOwner(bus, EXTENSION_SERVICE.destination, START_TIMEOUT_MS)) await read();
  return {
    getState: () => state,
    onChange: (listener) => void listeners.push(listener),
    onHotkey: (listener) => void hotkeyListeners.push(listener),
    setHotkeys: async (accelerators) => {
      const call = { ...EXTENSION_SERVICE, member: 'SetHotkeys', signature: 'as', body: [accelerators] };
      // A login keeps the shell busy. Without hotkeys, the agent may be ending, and must not wait.
      const accepted = await callBus(bus, call, accelerators.length > 0 ? START_TIMEOUT_MS : undefined);
      return Array.isArray(accepted) ? accepted.map((value) => value === true) : [];
    },
    [Symbol.dispose]: () => {
      bus.connection.off('message', handleMessage);
    },
  };
}
