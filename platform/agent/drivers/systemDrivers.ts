import { readFileSync } from 'node:fs';
import { type } from 'node:os';
import { join } from 'node:path';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Ability, Drivers, KeyChord, HotkeyListener, HotkeysDriver } from './drivers.ts';
import type { GuardianCommand } from './guardian.ts';
import { openNotifications, type DesktopNotifications } from './notifications.ts';
import { openPasswordFocus, type DesktopPasswordFocus } from './passwordFocus.ts';
import { openPulseAudio, type PulseAudioDriver } from './pulse/pulseAudio.ts';
import { openCaptureDriver } from './screenCapture.ts';
import { openXClipboard, type XClipboard } from './x11/clipboard.ts';
import { openXDesktop, type XDesktop } from './x11/desktop.ts';
import { openXHotkeys, type XHotkeys } from './x11/hotkeys.ts';
import { openXWindows, type XWindows } from './x11/windows.ts';

/** Hotkeys that survive the display: the requested chords are registered on each new display. */
export interface PersistentHotkeys extends HotkeysDriver, AsyncDisposable {
  /** Call this when a display was found. */
  readonly openOn: (display: string) => Promise<void>;
  /** Call this when the display is gone. */
  readonly onDisplayLost: () => void;
  /** Runs the task while no hotkey is listened for. */
  readonly runWithout: XHotkeys['runWithout'];
}

/**
 * Creates hotkeys without a display.
 * @param getReason returns why there is no display now.
 */
export function createPersistentHotkeys(getReason: () => string): PersistentHotkeys {
  let current: XHotkeys | undefined;
  let requested: { readonly chords: readonly KeyChord[]; readonly listener: HotkeyListener } | undefined;
  function apply(): void {
    if (!requested) return;
    const { chords, listener } = requested;
    if (current) current.listen(chords, listener);
    else listener.onStatus(new Map(chords.map((_, index) => [index, getReason()])));
  }
  return {
    listen: (chords, listener) => {
      requested = { chords, listener };
      apply();
    },
    openOn: async (display) => {
      // If the display is gone already, the other drivers report it.
      current = await openXHotkeys(display).catch(() => undefined);
      apply();
    },
    onDisplayLost: () => {
      current = undefined;
      apply();
    },
    runWithout: (task) => (current ? current.runWithout(task) : task()),
    [Symbol.asyncDispose]: async () => current?.[Symbol.asyncDispose](),
  };
}

const RETRY_INTERVAL_MS = 5000;

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
  /** Registers a listener for changed abilities: the display or the sound server appeared or disappeared. */
  readonly onChange: (listener: () => void) => void;
}

/** Returns the path of the file with the held inputs and the lent keycodes. */
export function getHeldPath(stateDir: string): string {
  return join(stateDir, 'held.json');
}

/** Returns the name of the system, such as 'Debian GNU/Linux 12 (bookworm)'. */
export function getSystemName(): string {
  try {
    const release = readFileSync('/etc/os-release', 'utf8');
    return /^PRETTY_NAME="?([^"\n]+)"?$/m.exec(release)?.[1] ?? type();
  } catch {
    return type(); // os-release is missing
  }
}

/** Returns why this agent can never type on this system; undefined if it can. */
function explainUnsupported(env: NodeJS.ProcessEnv): string | undefined {
  if (process.platform !== 'linux') return 'This version of the agent can type only on Linux with X11';
  if (env['XDG_SESSION_TYPE'] === 'wayland' || env['WAYLAND_DISPLAY'])
    return "That computer runs Wayland, where the agent can't type. Log in to an X11 session there";
  return undefined;
}

/** Returns what the name of the system says about the desktop. */
function describeSession(env: NodeJS.ProcessEnv, hasDisplay: boolean): string {
  if (hasDisplay) return 'X11';
  return env['XDG_SESSION_TYPE'] === 'wayland' || env['WAYLAND_DISPLAY'] ? 'Wayland' : 'no display';
}

const UNAVAILABLE_AUDIO: PulseAudioDriver = {
  ability: { able: false, reason: 'This version of the agent can control sound only on Linux' },
  getState: () => ({ sessions: [], outputs: [] }),
  set: async () => false,
  onChange: () => undefined,
  onAbilityChange: () => undefined,
  listUses: () => [],
  onUseChange: () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
};
/**
 * Detects and opens the drivers of this computer. Without a display it tries again every 5 s, and calls are refused
 * until then.
 */
export async function openSystemDrivers(options: SystemDriversOptions): Promise<SystemDrivers> {
  const { env, stateDir, guardian, retryIntervalMs = RETRY_INTERVAL_MS } = options;
  const name = getSystemName();
  const unsupportedReason = explainUnsupported(env);
  const listeners: (() => void)[] = [];
  const audio = process.platform === 'linux' ? openPulseAudio({ env, stateDir }) : UNAVAILABLE_AUDIO;
  let desktop: XDesktop | undefined;
  let clipboard: XClipboard | undefined;
  let windows: XWindows | undefined;
  let passwordFocus: DesktopPasswordFocus | undefined;
  const passwordListeners: (() => void)[] = [];
  let notifications: DesktopNotifications = await openNotifications(env['DBUS_SESSION_BUS_ADDRESS']);
  let reason = unsupportedReason ?? 'No display was found on that computer. Log in to its desktop';
  let retryTimer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function notifyChanged(): void {
    for (const listener of listeners) listener();
  }
  audio.onAbilityChange(notifyChanged);
  function retryLater(): void {
    if (!isClosed)
      retryTimer = setTimeout(
        () => void detectDisplay().then((isFound) => isFound && notifyChanged()),
        retryIntervalMs,
      );
  }
  const hotkeys = createPersistentHotkeys(() => reason);
  const windowListeners: (() => void)[] = [];
  function notifyWindowsChanged(): void {
    for (const listener of windowListeners) listener();
  }
  function setDesktop(newDesktop: XDesktop, newWindows: XWindows, display: string): void {
    windows = newWindows;
    newWindows.onChange(notifyWindowsChanged);
    desktop = newDesktop;
    clipboard = openXClipboard(display);
    newDesktop.onClosed(() => {
      if (isClosed) return;
      desktop = undefined;
      clipboard = undefined;
      windows = undefined;
      notifyWindowsChanged();
      reason = 'The agent lost the display of that computer and is looking for it';
      hotkeys.onDisplayLost();
      retryLater();
      notifyChanged();
    });
  }
  let passwordFocusOpening: Promise<void> | undefined;
  async function reopenPasswordFocus(): Promise<void> {
    if (passwordFocus?.isOpen()) return;
    const opened = await openPasswordFocus(env['DBUS_SESSION_BUS_ADDRESS']);
    await passwordFocus?.[Symbol.asyncDispose]();
    if (isClosed) return opened[Symbol.asyncDispose]();
    passwordFocus = opened;
    opened.onChange(() => {
      for (const listener of passwordListeners) listener();
    });
  }
  const ensurePasswordFocus = (): Promise<void> =>
    (passwordFocusOpening ??= reopenPasswordFocus().finally(() => {
      passwordFocusOpening = undefined;
    }));
  /** Opens the display and its drivers. Returns false if there is no display. */
  async function detectDisplay(): Promise<boolean> {
    const display = env['DISPLAY'];
    if (unsupportedReason !== undefined) return false;
    try {
      if (!display) throw new Error('no display is named');
      await using opening = new AsyncDisposableStack();
      const newWindows = opening.use(await openXWindows(display));
      setDesktop(await openXDesktop({ display, heldPath: getHeldPath(stateDir), guardian }), newWindows, display);
      opening.move();
      notifyWindowsChanged();
      await hotkeys.openOn(display);
      if (!notifications.ability.able) notifications = await openNotifications(env['DBUS_SESSION_BUS_ADDRESS']);
      void ensurePasswordFocus();
      return true;
    } catch (error) {
      if (display) reason = `The agent can't use display ${display} of that computer: ${(error as Error).message}`;
      retryLater();
      return false;
    }
  }
  await detectDisplay();

  const getAbility = (): Ability => (desktop ? { able: true } : { able: false, reason });
  function requireDesktop(): XDesktop {
    if (!desktop) throw new Refusal('device.no_display', reason);
    return desktop;
  }
  function requireClipboard(): XClipboard {
    if (!clipboard) throw new Refusal('device.no_display', reason);
    return clipboard;
  }
  const releaseAll = async (): Promise<void> => desktop?.releaseAll();

  return {
    get system() {
      return `${name}, ${describeSession(env, desktop !== undefined)}`;
    },
    keyboard: {
      get ability() {
        return getAbility();
      },
      type: (text, onProgress) => hotkeys.runWithout(async () => requireDesktop().keyboard.type(text, onProgress)),
      press: (keys) => hotkeys.runWithout(async () => requireDesktop().keyboard.press(keys)),
      holdModifiers: async (modifiers) => requireDesktop().keyboard.hold(modifiers),
      releaseAll,
    },
    mouse: {
      get ability() {
        return getAbility();
      },
      move: (dx, dy) => desktop?.mouse.move(dx, dy),
      centre: () => desktop?.mouse.centre(),
      button: (which, down) => desktop?.mouse.button(which, down),
      wheel: (dx, dy) => desktop?.mouse.wheel(dx, dy),
      releaseAll,
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
        return getAbility();
      },
      read: async () => requireClipboard().read(),
      write: async (text) => requireClipboard().write(text),
    },
    windows: {
      get ability() {
        return windows?.ability ?? { able: false, reason };
      },
      getActive: () => windows?.getActive(),
      listOpen: () => windows?.listOpen() ?? [],
      onChange: (listener) => void windowListeners.push(listener),
      getTitle: async (id) => windows?.getTitle(id) ?? '',
      getIdleMs: async () => {
        if (!windows) throw new Refusal('device.no_display', reason);
        return windows.getIdleMs();
      },
    },
    passwordFocus: {
      isFocused: () => passwordFocus?.isFocused() ?? false,
      onChange: (listener) => void passwordListeners.push(listener),
    },
    hotkeys,
    capture: openCaptureDriver({ env, getDisplayAbility: getAbility }),
    onChange: (listener) => void listeners.push(listener),
    [Symbol.asyncDispose]: async () => {
      isClosed = true;
      clearTimeout(retryTimer);
      await clipboard?.[Symbol.asyncDispose]();
      await hotkeys[Symbol.asyncDispose]();
      await windows?.[Symbol.asyncDispose]();
      await desktop?.[Symbol.asyncDispose]();
      await notifications[Symbol.asyncDispose]();
      await passwordFocus?.[Symbol.asyncDispose]();
      await audio[Symbol.asyncDispose]();
    },
  };
}
