import { dirname, join } from 'node:path';
import type { SessionBus } from '@homebridge/dbus-native';
import { Refusal } from '#platform/contract/refusal.ts';
import type { DesktopSession } from '../desktopSession.ts';
import type { Ability, ClipboardDriver } from '../drivers.ts';
import { readLeftovers } from '../heldInputs.ts';
import {
  callBus,
  connectBus,
  getBusProperty,
  hasNameOwner,
  isRefusedCall,
  onBusEnd,
  START_TIMEOUT_MS,
} from '../sessionBus.ts';
import { openSeatKeymap } from '../wayland/seatKeymap.ts';
import {
  connectDesktop,
  createUnavailableClipboard,
  openGuardedInputs,
  type WaylandSessionOptions,
} from '../wayland/session.ts';
import { openXClipboard } from '../x11/clipboard.ts';
import type { ActiveLayout } from './activeLayout.ts';
import { openGnomeCapture } from './capture.ts';
import { readPrimaryCentre } from './displayConfig.ts';
import { openExtensionClient } from './extensionClient.ts';
import { describeMissingExtension, updateExtension } from './extensionInstaller.ts';
import { createGnomeHotkeys } from './hotkeys.ts';
import { connectIbus, type IbusConnection } from './ibus.ts';
import { findIbusAddress, restoreEngine } from './ibusProtocol.ts';
import { createInputSession } from './inputSession.ts';
import { createGnomeKeyboard } from './keyboard.ts';
import { readLayoutGroup } from './layoutGroup.ts';
import { MUTTER_INPUT_NAME, openMutterInput } from './mutterInput.ts';
import { createGnomePointer } from './pointer.ts';
import { openPortalInput } from './portalInput.ts';
import type { RemoteInput } from './remoteInput.ts';
import { createGnomeWindows, findFocused } from './windows.ts';

const NO_CLIPBOARD_MESSAGE =
  "GNOME shares its clipboard only through Xwayland, which that computer doesn't have. Install Xwayland there";
const NO_KEYMAP_MESSAGE = "The desktop of that computer doesn't tell its keyboard layout. Connect a keyboard there";
/** The portal's stored permission. */
const PORTAL_TOKEN_FILE = 'remote-desktop-token';
const SHELL = { destination: 'org.gnome.Shell', path: '/org/gnome/Shell', interface: 'org.gnome.Shell' } as const;
const SCREEN_SAVER = {
  destination: 'org.gnome.ScreenSaver',
  path: '/org/gnome/ScreenSaver',
  interface: 'org.gnome.ScreenSaver',
} as const;

export interface GnomeSessionOptions extends WaylandSessionOptions {
  /** The session bus; the session closes it. */
  readonly bus: SessionBus;
  /** How long the agent stays away after somebody has ended remote input at the computer. */
  readonly endedByUserMs?: number | undefined;
}

/** Returns whether another compositor runs in a window of GNOME. Mutter offers neither of these interfaces. */
async function isNested(env: NodeJS.ProcessEnv): Promise<boolean> {
  await using connection = await connectDesktop(env);
  return (['zwp_virtual_keyboard_manager_v1', 'org_kde_plasma_shell'] as const).some(
    (name) => connection.getVersion(name) > 0,
  );
}

/**
 * Connects to the session bus if the desktop is GNOME.
 * @throws Refusal if the compositor can't be reached.
 */
export async function findGnome(env: NodeJS.ProcessEnv): Promise<SessionBus | undefined> {
  const address = env['DBUS_SESSION_BUS_ADDRESS'];
  const bus = address ? connectBus(address) : undefined;
  if (!bus) return undefined;
  using opening = new DisposableStack();
  opening.defer(() => bus.connection.end());
  const isOnBus = await hasNameOwner(bus, MUTTER_INPUT_NAME, START_TIMEOUT_MS).catch(() => false);
  if (!isOnBus || (await isNested(env))) return undefined;
  opening.move();
  return bus;
}

/** Opens remote input through Mutter or, where it refuses (in a sandbox), through the portal, which asks the user. */
async function openInput(bus: SessionBus, tokenPath: string): Promise<RemoteInput> {
  try {
    return await openMutterInput(bus);
  } catch (cause) {
    if (!isRefusedCall(cause) || (await isScreenLocked(bus))) throw cause;
    return openPortalInput(bus, tokenPath);
  }
}

const isScreenLocked = async (bus: SessionBus): Promise<boolean> =>
  (await callBus(bus, { ...SCREEN_SAVER, member: 'GetActive' }).catch(() => false)) === true;

function openClipboard(env: NodeJS.ProcessEnv): ClipboardDriver & AsyncDisposable {
  const display = env['DISPLAY'];
  if (!display)
    return { ...createUnavailableClipboard(NO_CLIPBOARD_MESSAGE), [Symbol.asyncDispose]: async () => undefined };
  return { ability: { able: true }, ...openXClipboard(display, { isUtf8Only: true }) };
}

/**
 * Opens the drivers of GNOME on Wayland.
 * @throws Refusal if the desktop can't be reached, or this Node is too old.
 */
export async function openGnomeSession(options: GnomeSessionOptions): Promise<DesktopSession> {
  const { env, heldPath, bus, endedByUserMs } = options;
  await using opening = new AsyncDisposableStack();
  opening.defer(() => bus.connection.end());
  const connection = opening.use(await connectDesktop(env));
  const seatKeymap = await openSeatKeymap(connection);
  const extension = opening.use(await openExtensionClient(bus));
  // GNOME may have been updated since. A failure leaves the extension as it is.
  updateExtension(env).catch(() => undefined);
  const getMissingReason = (): string => describeMissingExtension(env);

  const leftEngine = readLeftovers(heldPath)?.inputMethod?.engine;
  const heldInputs = opening.use(openGuardedInputs(options, releaseAll));
  const inputSession = opening.use(
    createInputSession({
      openInput: () => openInput(bus, join(dirname(heldPath), PORTAL_TOKEN_FILE)),
      isScreenLocked: () => isScreenLocked(bus),
      hasInputDevices: seatKeymap.hasInputDevices,
      isInUse: () => heldInputs.list().length > 0,
      onEnded: () => heldInputs.remove(heldInputs.list()),
      endedByUserMs,
    }),
  );

  let ibus: IbusConnection | undefined;
  opening.defer(() => ibus?.[Symbol.dispose]());
  async function openIbus(): Promise<IbusConnection | undefined> {
    if (ibus?.isOpen()) return ibus;
    const address = findIbusAddress(env);
    if (address === undefined) return undefined;
    const onEngineReplaced = (engine: string | undefined): void =>
      heldInputs.setInputMethod(engine === undefined ? undefined : { address, engine });
    ibus = await connectIbus({ address, onEngineReplaced }).catch((error: unknown) => {
      if (error instanceof Refusal) throw error;
      return undefined;
    });
    return ibus;
  }
  const ibusAddress = findIbusAddress(env);
  // An agent that was killed together with its guardian left its own engine behind.
  if (leftEngine !== undefined && ibusAddress !== undefined)
    await restoreEngine(ibusAddress, leftEngine).catch(() => undefined);

  async function readLayout(): Promise<ActiveLayout> {
    if (seatKeymap.getText() === undefined) throw new Refusal('device.no_keymap', NO_KEYMAP_MESSAGE);
    const group = extension.getState()?.layoutGroup ?? (await readLayoutGroup(env));
    return { keymap: seatKeymap.getKeymap(), group };
  }
  const syncShell = async (): Promise<void> => {
    await getBusProperty(bus, SHELL, 'ShellVersion').catch(() => undefined); // the desktop has ended
  };
  const keyboard = createGnomeKeyboard({
    session: inputSession,
    heldInputs,
    readLayout,
    openIbus,
    syncShell,
    getFocused: () => findFocused(extension.getState()),
  });
  const readCentre = () => readPrimaryCentre(bus);
  const mouse = createGnomePointer({ session: inputSession, heldInputs, readCentre });
  const hotkeys = opening.use(createGnomeHotkeys(extension, getMissingReason));
  const clipboard = opening.use(openClipboard(env));
  const capture = openGnomeCapture(bus);
  async function releaseAll(): Promise<void> {
    await Promise.all([keyboard.releaseAll(), mouse.releaseAll()]);
  }
  opening.defer(releaseAll);

  const closedListeners: (() => void)[] = [];
  let isClosed = false;
  function handleClosed(): void {
    if (isClosed) return;
    isClosed = true;
    for (const listener of closedListeners) listener();
  }
  connection.onClosed(handleClosed);
  onBusEnd(bus, handleClosed);
  const opened = opening.move();
  return {
    name: 'GNOME on Wayland',
    keyboard: {
      ...keyboard,
      get ability(): Ability {
        return keyboard.ability;
      },
      type: (text, onProgress) => hotkeys.runWithout(() => keyboard.type(text, onProgress)),
      press: (keys) => hotkeys.runWithout(() => keyboard.press(keys)),
    },
    mouse,
    clipboard,
    windows: createGnomeWindows(bus, extension, getMissingReason),
    hotkeys,
    capture,
    onAbilityChange: (listener) => {
      inputSession.onAbilityChange(listener);
      void capture.whenKnown.then((isAble) => isAble && listener());
    },
    onClosed: (listener) => {
      if (isClosed) listener();
      else closedListeners.push(listener);
    },
    [Symbol.asyncDispose]: async () => {
      isClosed = true;
      await opened.disposeAsync();
    },
  };
}
