import type { DBusMessage, SessionBus } from '@homebridge/dbus-native';
import * as z from 'zod/mini';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import type { SessionHotkeys } from '../desktopSession.ts';
import type { HotkeyListener, KeyChord } from '../drivers.ts';
import { formatChord } from '../keyChord.ts';
import { getKeysymByHotkey } from '../keysyms.ts';
import { callBus, matchSignals, START_TIMEOUT_MS } from '../sessionBus.ts';
import { toQtKeys } from './qtKeys.ts';

const SERVICE = {
  destination: 'org.kde.kglobalaccel',
  path: '/kglobalaccel',
  interface: 'org.kde.KGlobalAccel',
} as const;
const SIGNALS_INTERFACE = 'org.kde.kglobalaccel.Component';
/** The agent's name in KDE's settings of shortcuts. */
const COMPONENT = 'pegboard-agent';
const COMPONENT_LABEL = 'Pegboard';
/** Activates the shortcut, and uses our keys instead of those of the last time. */
const SET_PRESENT = 2;
const NO_AUTOLOADING = 4;

/** A held key repeats at least this often. Its release may be lost, and older versions don't report it. */
const REPEAT_INTERVAL_MS = 1000;

const NO_ANSWER_MESSAGE = "The desktop of that computer doesn't register hotkeys now. Set the hotkeys again";

const getActionName = (index: number): string => `hotkey-${index}`;
const actionId = z.tuple([z.string(), z.string(), z.string(), z.string()]);
const actionIds = z.array(actionId);

/** KDE's id of a hotkey: names of the component and the action, each for programs and for people. */
const getActionId = (index: number, chord: KeyChord): readonly string[] => [
  COMPONENT,
  getActionName(index),
  COMPONENT_LABEL,
  formatChord(chord),
];

/** Returns the index of the hotkey that a signal is about; undefined if it is about another program's. */
function findIndex([component, action]: readonly unknown[]): number | undefined {
  const index = component === COMPONENT && /^hotkey-(\d+)$/.exec(String(action))?.[1];
  return index ? Number(index) : undefined;
}

/** Registers hotkeys as global shortcuts of KDE. */
export async function openKdeHotkeys(bus: SessionBus): Promise<SessionHotkeys & AsyncDisposable> {
  const enqueue = createSerialQueue();
  let chords: readonly KeyChord[] = [];
  let listener: HotkeyListener | undefined;
  /** Registered chords by their index. */
  const registered = new Map<number, KeyChord>();
  /** When each hotkey was pressed last, unless it has been released. */
  const pressedAt = new Map<number, number>();
  let suspendCount = 0;

  const call = (member: string, signature: string, body: readonly unknown[], timeoutMs?: number): Promise<unknown> =>
    callBus(bus, { ...SERVICE, member, signature, body }, timeoutMs);
  async function unregister(action: string): Promise<void> {
    await call('unregister', 'ss', [COMPONENT, action]);
  }
  /** Unregisters all hotkeys, also those of an agent that was killed. They would count as taken. */
  async function unregisterAll(timeoutMs?: number): Promise<void> {
    registered.clear();
    pressedAt.clear();
    const ids = await call('allActionsForComponent', 'as', [[COMPONENT, '', '', '']], timeoutMs);
    for (const [, action] of actionIds.parse(ids)) await unregister(action);
  }
  /** Returns the name of the program that has one of the keys; undefined if they are free. */
  async function findOwner(keys: readonly number[]): Promise<string | undefined> {
    for (const key of keys) {
      const owner = actionId.safeParse(await call('action', 'i', [key])).data;
      if (owner && owner[0] !== COMPONENT) return owner[2] || owner[0];
    }
    return undefined;
  }
  /** Returns whether KDE accepted the keys. Plasma 5 refuses those that are taken; Plasma 6.7 doesn't. */
  async function register(index: number, chord: KeyChord, keys: readonly number[]): Promise<boolean> {
    const id = getActionId(index, chord);
    await call('doRegister', 'as', [id]);
    const accepted = await call('setShortcut', 'asaiu', [id, keys, SET_PRESENT | NO_AUTOLOADING]);
    const [key] = keys;
    if (Array.isArray(accepted) && accepted.includes(key)) return true;
    await unregister(getActionName(index));
    return false;
  }
  /** Returns why a chord can't be a hotkey; undefined if it is registered. */
  async function tryRegister(index: number, chord: KeyChord): Promise<string | undefined> {
    if (getKeysymByHotkey(chord.key) === undefined)
      return `The keyboard of that computer has no key '${chord.key.slice(0, 20)}'. Choose another one`;
    const keys = toQtKeys(chord);
    if (keys.length === 0) return `KDE doesn't accept ${formatChord(chord)} as a hotkey. Choose other keys`;
    const owner = await findOwner(keys);
    if (owner !== undefined) return `${owner} on that computer already uses ${formatChord(chord)}. Choose other keys`;
    if (!(await register(index, chord, keys)))
      return `Another program on that computer already uses ${formatChord(chord)}. Choose other keys`;
    registered.set(index, chord);
    return undefined;
  }
  async function registerAll(): Promise<void> {
    const refused = new Map<number, string>();
    for (const [index, chord] of chords.entries()) {
      const reason = await tryRegister(index, chord).catch(() => NO_ANSWER_MESSAGE);
      if (reason !== undefined) refused.set(index, reason);
    }
    listener?.onStatus(refused);
  }
  /** Makes the hotkeys ineffective, or effective again, and leaves them in KDE's settings. */
  async function setActive(isActive: boolean): Promise<void> {
    for (const [index, chord] of registered) {
      const id = getActionId(index, chord);
      if (isActive) await call('setShortcut', 'asaiu', [id, toQtKeys(chord), SET_PRESENT | NO_AUTOLOADING]);
      else await call('setInactive', 'as', [id]);
    }
  }
  function handleMessage({ interface: interfaceName, member, body = [] }: DBusMessage): void {
    const index = interfaceName === SIGNALS_INTERFACE ? findIndex(body) : undefined;
    if (index === undefined || !registered.has(index)) return;
    if (member === 'globalShortcutReleased') pressedAt.delete(index);
    const isPress = member === 'globalShortcutPressed';
    // A held key sends the first one again and again; from Plasma 6.5 on the second one.
    if (!(isPress || member === 'globalShortcutRepeated') || suspendCount > 0) return;
    const now = performance.now();
    const isRepeated = !isPress || now - (pressedAt.get(index) ?? -Infinity) < REPEAT_INTERVAL_MS;
    pressedAt.set(index, now);
    listener?.onPress(index, isRepeated);
  }
  bus.connection.on('message', handleMessage);
  await matchSignals(bus, `type='signal',sender='${SERVICE.destination}',interface='${SIGNALS_INTERFACE}'`).catch(
    () => undefined,
  ); // without the service, `onStatus` says that nothing can be registered

  return {
    listen: (newChords, newListener) =>
      void enqueue(async () => {
        await unregisterAll(START_TIMEOUT_MS).catch(() => undefined); // the service has ended
        chords = newChords;
        listener = newListener;
        await registerAll();
        if (suspendCount > 0) await setActive(false);
      }).catch(() => undefined), // the service has ended
    runWithout: async (task) => {
      if (registered.size === 0) return task();
      suspendCount += 1;
      try {
        // If the service has ended, there are no hotkeys.
        await enqueue(() => setActive(false)).catch(() => undefined);
        return await task();
      } finally {
        suspendCount -= 1;
        enqueue(async () => {
          if (suspendCount === 0) await setActive(true);
        }).catch(() => listener?.onStatus(new Map(chords.map((_, index) => [index, NO_ANSWER_MESSAGE]))));
      }
    },
    [Symbol.asyncDispose]: () => enqueue(() => unregisterAll()).catch(() => undefined), // KDE has ended
  };
}
