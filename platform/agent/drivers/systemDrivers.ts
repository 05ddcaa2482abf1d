import { readFileSync } from 'node:fs';
import { release, type, version } from 'node:os';
import { join } from 'node:path';
import { Refusal } from '#platform/contract/refusal.ts';
import type { DesktopSession, SessionHotkeys } from './desktopSession.ts';
import type { Ability, CaptureDriver, Drivers, HotkeyListener, HotkeysDriver, KeyChord } from './drivers.ts';
import type { GuardianCommand } from './guardian.ts';
import { formatMacName, readMacVersion } from './mac/systemVersion.ts';
import type { DesktopNotifications } from './notifications.ts';
import { openDesktopSession } from './openDesktopSession.ts';
import type { DesktopPasswordFocus } from './passwordFocus.ts';
import { openSystemAudio, openSystemNotifications, openSystemPasswordFocus } from './systemServices.ts';

/** Hotkeys that survive the desktop: the requested chords are registered on each new one. */
interface PersistentHotkeys extends HotkeysDriver {
  /** Call this when a desktop was found, and with undefined when it has ended. */
  readonly setHotkeys: (hotkeys: SessionHotkeys | undefined) => void;
}

/** @param getReason returns why there is no desktop now. */
export function createPersistentHotkeys(getReason: () => string): PersistentHotkeys {
  let current: SessionHotkeys | undefined;
  let requested: { readonly chords: readonly KeyChord[]; readonly listener: HotkeyListener } | undefined;
  function apply(): void {
    if (!requested) return;
    const { chords, listener } = requested;
    const session = current;
    // The desktop that has ended may still report that it does not answer.
    const onStatus: HotkeyListener['onStatus'] = (refused) => {
      if (session === current) listener.onStatus(refused);
    };
    if (session) session.listen(chords, { onPress: listener.onPress, onStatus });
    else listener.onStatus(new Map(chords.map((_, index) => [index, getReason()])));
  }
  return {
    listen: (chords, listener) => {
      requested = { chords, listener };
      apply();
    },
    setHotkeys: (hotkeys) => {
      current = hotkeys;
      apply();
    },
  };
}

/** Disposes of drivers whose desktop may be gone, which they may not expect. */
async function disposeQuietly(session: DesktopSession): Promise<void> {
  try {
    await session[Symbol.asyncDispose]();
  } catch {
    // Nothing is left to release.
  }
}

function notify(listeners: readonly (() => void)[]): void {
  for (const listener of listeners) listener();
}

const RETRY_INTERVAL_MS = 5000;
const LOST_MESSAGE = 'The agent lost the display of that computer and is looking for it';
const ENDED_MESSAGE = 'The desktop of that computer ended meanwhile. Check what was done there, then try again';

export interface SystemDriversOptions {
  /**
   * The environment that describes the desktop: DISPLAY, WAYLAND_DISPLAY, XDG_SESSION_TYPE, DBUS_SESSION_BUS_ADDRESS.
   */
  readonly env: NodeJS.ProcessEnv;
  readonly stateDir: string;
  readonly guardian?: GuardianCommand;
  readonly retryIntervalMs?: number;
}

export interface SystemDrivers extends Drivers {
  readonly listSetupSteps: () => readonly string[];
  /** Registers a listener for changed abilities: the desktop or the sound server appeared or disappeared. */
  readonly onChange: (listener: () => void) => void;
}

/** Returns the path of the file with the held inputs and the lent keycodes. */
export function getHeldPath(stateDir: string): string {
  return join(stateDir, 'held.json');
}

/** First build of Windows 11. Its own name in the registry still says Windows 10. */
const FIRST_BUILD_OF_11 = 22_000;

/**
 * Returns the name of the system for people: 'Windows 11 Pro'.
 * @param ownName the name that the system gives itself, such as 'Windows 10 Pro'.
 * @param number its number, such as '10.0.22631'.
 */
export function formatWindowsName(ownName: string, number: string): string {
  const build = Number(/^10\.0\.(\d+)/.exec(number)?.[1]);
  if (build >= FIRST_BUILD_OF_11) return ownName.replace(/^Windows 10\b/, 'Windows 11');
  return ownName.startsWith('Windows') ? ownName : `Windows ${number}`;
}

/** Returns the name of the system, such as 'Debian GNU/Linux 12 (bookworm)', 'Windows 11 Pro' or 'macOS 15'. */
export function getSystemName(): string {
  if (process.platform === 'darwin') return formatMacName(readMacVersion());
  if (process.platform === 'win32') return formatWindowsName(version(), release());
  try {
    const osRelease = readFileSync('/etc/os-release', 'utf8');
    return /^PRETTY_NAME="?([^"\n]+)"?$/m.exec(osRelease)?.[1] ?? type();
  } catch {
    return type(); // os-release is missing
  }
}

/**
 * Detects and opens the drivers of this computer. Without a desktop it tries again every 5 s, and calls are refused
 * until then.
 */
export async function openSystemDrivers(options: SystemDriversOptions): Promise<SystemDrivers> {
  const { env, stateDir, guardian, retryIntervalMs = RETRY_INTERVAL_MS } = options;
  const name = getSystemName();
  const listeners: (() => void)[] = [];
  const windowListeners: (() => void)[] = [];
  const passwordListeners: (() => void)[] = [];
  const audio = openSystemAudio({ env, stateDir });
  let session: DesktopSession | undefined;
  let passwordFocus: DesktopPasswordFocus | undefined;
  let notifications: DesktopNotifications = await openSystemNotifications(env);
  /** Why there is no desktop. */
  let refusal = new Refusal('device.no_display', LOST_MESSAGE);
  let retryTimer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const hotkeys = createPersistentHotkeys(() => refusal.message);
  audio.onAbilityChange(() => notify(listeners));
  function retryLater(): void {
    if (!isClosed)
      retryTimer = setTimeout(() => void detect().then((isFound) => isFound && notify(listeners)), retryIntervalMs);
  }
  function setSession(found: DesktopSession | undefined): void {
    session = found;
    notify(windowListeners);
    hotkeys.setHotkeys(found?.hotkeys);
  }
  function handleSessionEnd(ended: DesktopSession): void {
    if (isClosed) return;
    refusal = new Refusal('device.no_display', LOST_MESSAGE);
    setSession(undefined);
    void disposeQuietly(ended);
    retryLater();
    notify(listeners);
  }
  let passwordFocusOpening: Promise<void> | undefined;
  async function reopenPasswordFocus(): Promise<void> {
    if (passwordFocus?.isOpen()) return;
    const opened = await openSystemPasswordFocus(env);
    await passwordFocus?.[Symbol.asyncDispose]();
    if (isClosed) return opened[Symbol.asyncDispose]();
    passwordFocus = opened;
    opened.onChange(() => notify(passwordListeners));
  }
  const ensurePasswordFocus = (): Promise<void> =>
    (passwordFocusOpening ??= reopenPasswordFocus().finally(() => {
      passwordFocusOpening = undefined;
    }));
  async function reopenNotifications(): Promise<void> {
    const opened = await openSystemNotifications(env);
    if (isClosed) return opened[Symbol.asyncDispose]();
    notifications = opened;
  }
  /** Opens the desktop and its drivers. Returns false if there is none. */
  async function detect(): Promise<boolean> {
    try {
      const found = await openDesktopSession({ env, heldPath: getHeldPath(stateDir), guardian });
      if (isClosed) {
        await disposeQuietly(found);
        return false;
      }
      found.windows.onChange(() => notify(windowListeners));
      found.onAbilityChange?.(() => notify(listeners));
      setSession(found);
      found.onClosed(() => handleSessionEnd(found));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refusal = error;
      retryLater();
      return false;
    }
    if (!notifications.ability.able) await reopenNotifications();
    void ensurePasswordFocus();
    return true;
  }
  await detect();

  /**
   * Runs a task of the desktop.
   * @throws Refusal if there is none, or it ends meanwhile.
   */
  async function useSession<T>(task: (current: DesktopSession) => Promise<T>): Promise<T> {
    const current = session;
    if (!current) throw refusal;
    try {
      return await task(current);
    } catch (cause) {
      if (cause instanceof Refusal || session === current) throw cause;
      throw new Refusal('device.no_display', ENDED_MESSAGE, { cause });
    }
  }
  const getAbility = (driver: { readonly ability: Ability } | undefined): Ability =>
    driver?.ability ?? { able: false, reason: refusal.message };
  const capture: CaptureDriver = {
    get ability() {
      return getAbility(session?.capture);
    },
    start: (path, region) => useSession(({ capture: driver }) => driver.start(path, region)),
  };

  return {
    get system() {
      return `${name}, ${session?.name ?? 'no desktop'}`;
    },
    keyboard: {
      get ability() {
        return getAbility(session?.keyboard);
      },
      type: (text, onProgress) => useSession(({ keyboard }) => keyboard.type(text, onProgress)),
      press: (keys) => useSession(({ keyboard }) => keyboard.press(keys)),
      holdModifiers: (modifiers) => useSession(({ keyboard }) => keyboard.holdModifiers(modifiers)),
      releaseAll: async () => session?.keyboard.releaseAll(),
    },
    mouse: {
      get ability() {
        return getAbility(session?.mouse);
      },
      move: (dx, dy) => session?.mouse.move(dx, dy),
      centre: () => session?.mouse.centre(),
      button: (which, down) => session?.mouse.button(which, down),
      wheel: (dx, dy) => session?.mouse.wheel(dx, dy),
      releaseAll: async () => session?.mouse.releaseAll(),
    },
    notifications: {
      get ability() {
        return notifications.ability;
      },
      show: async (title, text) => notifications.show(title, text),
      confirm: async (question) => notifications.confirm(question),
    },
    audio,
    clipboard: {
      get ability() {
        return getAbility(session?.clipboard);
      },
      read: () => useSession(({ clipboard }) => clipboard.read()),
      write: (text) => useSession(({ clipboard }) => clipboard.write(text)),
    },
    windows: {
      get ability() {
        return getAbility(session?.windows);
      },
      getActive: () => session?.windows.getActive(),
      listOpen: () => session?.windows.listOpen() ?? [],
      onChange: (listener) => void windowListeners.push(listener),
      getTitle: async (id) => session?.windows.getTitle(id) ?? '',
      getIdleMs: () => useSession(({ windows }) => windows.getIdleMs()),
    },
    passwordFocus: {
      isFocused: () => passwordFocus?.isFocused() ?? false,
      onChange: (listener) => void passwordListeners.push(listener),
    },
    hotkeys,
    capture,
    listSetupSteps: () => session?.listSetupSteps?.() ?? [],
    onChange: (listener) => void listeners.push(listener),
    [Symbol.asyncDispose]: async () => {
      isClosed = true;
      clearTimeout(retryTimer);
      if (session) await disposeQuietly(session);
      await notifications[Symbol.asyncDispose]();
      await passwordFocus?.[Symbol.asyncDispose]();
      await audio[Symbol.asyncDispose]();
    },
  };
}
