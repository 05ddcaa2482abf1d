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

/** Hotkeys that outlive the display: what is wished for is listened for on each one that comes. */
export interface PersistentHotkeys extends HotkeysDriver, AsyncDisposable {
  /** A display was found. */
  readonly openOn: (display: string) => Promise<void>;
  /** The display is gone. */
  readonly onDisplayLost: () => void;
  /** None is listened for while the task runs. */
  readonly runWithout: XHotkeys['runWithout'];
}

/** @param reason why there is no display just now */
export function createPersistentHotkeys(reason: () => string): PersistentHotkeys {
  let here: XHotkeys | undefined;
  let wished: { readonly chords: readonly KeyChord[]; readonly listener: HotkeyListener } | undefined;
  const begin = (): void => {
    if (!wished) return;
    const { chords, listener } = wished;
    if (here) here.listen(chords, listener);
    else listener.onStatus(new Map(chords.map((_, at) => [at, reason()])));
  };
  return {
    listen: (chords, listener) => {
      wished = { chords, listener };
      begin();
    },
    openOn: async (display) => {
      // Where it went away already, whoever found it hears of that too.
      here = await openXHotkeys(display).catch(() => undefined);
      begin();
    },
    onDisplayLost: () => {
      here = undefined;
      begin();
    },
    runWithout: (task) => (here ? here.runWithout(task) : task()),
    [Symbol.asyncDispose]: async () => here?.[Symbol.asyncDispose](),
  };
}

const RETRY_INTERVAL_MS = 5000;

export interface SystemDriversOptions {
  /** The environment that says where the desktop is: DISPLAY, WAYLAND_DISPLAY, XDG_SESSION_TYPE, DBUS_SESSION_BUS_ADDRESS. */
  readonly env: NodeJS.ProcessEnv;
  readonly stateDir: string;
  readonly guardian?: GuardianCommand;
  readonly lookAgainMs?: number;
}

export interface SystemDrivers extends Drivers {
  /** What this computer can do has changed: the display or the sound server came or went. */
  readonly onChange: (then: () => void) => void;
}

/** File in the state folder that says what is held and which keycodes are lent. */
export function getHeldPath(stateDir: string): string {
  return join(stateDir, 'held.json');
}

/** 'Debian GNU/Linux 12 (bookworm)', as the system names itself. */
export function getSystemName(): string {
  try {
    const release = readFileSync('/etc/os-release', 'utf8');
    return /^PRETTY_NAME="?([^"\n]+)"?$/m.exec(release)?.[1] ?? type();
  } catch {
    return type(); // a system without that file
  }
}

/** Why this agent cannot type here whatever it tries; undefined where it may. */
const explainUnsupported = (env: NodeJS.ProcessEnv): string | undefined => {
  if (process.platform !== 'linux') return 'This version of the agent types on Linux with X11 only';
  if (env['XDG_SESSION_TYPE'] === 'wayland' || env['WAYLAND_DISPLAY'])
    return 'That computer runs Wayland, which lets no program type into others; sign in to an X11 session there';
  return undefined;
};

/** What to call the desktop in the name of the system. */
const getSessionName = (env: NodeJS.ProcessEnv, hasDisplay: boolean): string => {
  if (hasDisplay) return 'X11';
  return env['XDG_SESSION_TYPE'] === 'wayland' || env['WAYLAND_DISPLAY'] ? 'Wayland' : 'no display';
};

const unavailableAudio: PulseAudioDriver = {
  ability: { able: false, reason: 'This version of the agent sets the sound on Linux only' },
  getState: () => ({ sessions: [], outputs: [] }),
  set: async () => false,
  onChange: () => undefined,
  onAbilityChange: () => undefined,
  listUses: () => [],
  onUseChange: () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
};
/**
 * The drivers of this computer, chosen by asking what is there. Where no display answers it is looked for again every 5 s,
 * and meanwhile refused in a sentence.
 */
export async function openSystemDrivers(options: SystemDriversOptions): Promise<SystemDrivers> {
  const { env, stateDir, guardian, lookAgainMs = RETRY_INTERVAL_MS } = options;
  const name = getSystemName();
  const refusal = explainUnsupported(env);
  const listeners: (() => void)[] = [];
  const audio = process.platform === 'linux' ? openPulseAudio({ env, stateDir }) : unavailableAudio;
  let desktop: XDesktop | undefined;
  let clipboard: XClipboard | undefined;
  let windows: XWindows | undefined;
  let passwordFocus: DesktopPasswordFocus | undefined;
  const passwordListeners: (() => void)[] = [];
  let notifications: DesktopNotifications = await openNotifications(env['DBUS_SESSION_BUS_ADDRESS']);
  let reason = refusal ?? 'No display was found on that computer: is anybody signed in to its desktop?';
  let again: NodeJS.Timeout | undefined;
  let isClosed = false;

  const changed = (): void => {
    for (const then of listeners) then();
  };
  audio.onAbilityChange(changed);
  const lookAgain = (): void => {
    if (!isClosed) again = setTimeout(() => void look().then((found) => found && changed()), lookAgainMs);
  };
  const hotkeys = createPersistentHotkeys(() => reason);
  const whenWindows: (() => void)[] = [];
  const windowsChanged = (): void => {
    for (const then of whenWindows) then();
  };
  const adopt = (found: XDesktop, seen: XWindows, display: string): void => {
    windows = seen;
    seen.onChange(windowsChanged);
    desktop = found;
    clipboard = openXClipboard(display);
    found.onClosed(() => {
      if (isClosed) return;
      desktop = undefined;
      clipboard = undefined;
      windows = undefined;
      windowsChanged();
      reason = 'The display of that computer went away; it is looked for again';
      hotkeys.onDisplayLost();
      lookAgain();
      changed();
    });
  };
  let following: Promise<void> | undefined;
  const openPasswords = async (): Promise<void> => {
    if (passwordFocus?.isOpen()) return;
    const opened = await openPasswordFocus(env['DBUS_SESSION_BUS_ADDRESS']);
    await passwordFocus?.[Symbol.asyncDispose]();
    if (isClosed) return opened[Symbol.asyncDispose]();
    passwordFocus = opened;
    opened.onChange(() => {
      for (const then of passwordListeners) then();
    });
  };
  const followPasswords = (): Promise<void> =>
    (following ??= openPasswords().finally(() => {
      following = undefined;
    }));
  /** True where a display was found. */
  const look = async (): Promise<boolean> => {
    const display = env['DISPLAY'];
    if (refusal !== undefined) return false;
    try {
      if (!display) throw new Error('no display is named');
      await using opening = new AsyncDisposableStack();
      const seen = opening.use(await openXWindows(display));
      adopt(await openXDesktop({ display, heldPath: getHeldPath(stateDir), guardian }), seen, display);
      opening.move();
      windowsChanged();
      await hotkeys.openOn(display);
      if (!notifications.ability.able) notifications = await openNotifications(env['DBUS_SESSION_BUS_ADDRESS']);
      void followPasswords();
      return true;
    } catch (error) {
      if (display) reason = `The display ${display} of that computer cannot be used: ${(error as Error).message}`;
      lookAgain();
      return false;
    }
  };
  await look();

  const ability = (): Ability => (desktop ? { able: true } : { able: false, reason });
  const here = (): XDesktop => {
    if (!desktop) throw new Refusal(reason);
    return desktop;
  };
  const hereClipboard = (): XClipboard => {
    if (!clipboard) throw new Refusal(reason);
    return clipboard;
  };
  const releaseAll = async (): Promise<void> => desktop?.releaseAll();

  return {
    get system() {
      return `${name}, ${getSessionName(env, desktop !== undefined)}`;
    },
    keyboard: {
      get ability() {
        return ability();
      },
      type: (text, onProgress) => hotkeys.runWithout(async () => here().keyboard.type(text, onProgress)),
      press: (keys) => hotkeys.runWithout(async () => here().keyboard.press(keys)),
      holdModifiers: async (modifiers) => here().keyboard.hold(modifiers),
      releaseAll,
    },
    mouse: {
      get ability() {
        return ability();
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
        return ability();
      },
      read: async () => hereClipboard().read(),
      write: async (text) => hereClipboard().write(text),
    },
    windows: {
      get ability() {
        return windows?.ability ?? { able: false, reason };
      },
      getActive: () => windows?.getActive(),
      listOpen: () => windows?.listOpen() ?? [],
      onChange: (then) => void whenWindows.push(then),
      getTitle: async (id) => windows?.getTitle(id) ?? '',
      getIdleMs: async () => {
        if (!windows) throw new Refusal(reason);
        return windows.getIdleMs();
      },
    },
    passwordFocus: {
      isFocused: () => passwordFocus?.isFocused() ?? false,
      onChange: (then) => void passwordListeners.push(then),
    },
    hotkeys,
    capture: openCaptureDriver({ env, display: ability }),
    onChange: (then) => void listeners.push(then),
    [Symbol.asyncDispose]: async () => {
      isClosed = true;
      clearTimeout(again);
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
