import { Refusal } from '#platform/contract/refusal.ts';
import type { DesktopSession, SessionHotkeys } from '../desktopSession.ts';
import type { CaptureDriver, ClipboardDriver, MouseDriver } from '../drivers.ts';
import { startGuardian, type GuardianCommand } from '../guardian.ts';
import { createHeldInputs, readLeftovers, type HeldInputs } from '../heldInputs.ts';
import type { GuardedProcess } from '../releaser.ts';
import { openCaptureDriver } from '../screenCapture.ts';
import { openSwayHotkeys } from '../sway/hotkeys.ts';
import { connectSway, findSwaySocket, type SwayIpc } from '../sway/ipc.ts';
import { openSwayWindows } from '../sway/windows.ts';
import { openWaylandClipboard } from './clipboard.ts';
import { connectWayland, getWaylandSocketPath, type WaylandConnection, type WaylandObject } from './connection.ts';
import { openIdleTime } from './idleTime.ts';
import { openTextField } from './inputMethod.ts';
import { createWaylandKeyboard } from './keyboard.ts';
import { findKeyCode } from './keyCodes.ts';
import { createWaylandPointer } from './pointer.ts';
import { releaseVirtualInputs } from './releaser.ts';
import { findScreenSource } from './screenSource.ts';
import { openToplevels } from './toplevels.ts';
import { openVirtualKeyboard } from './virtualKeyboard.ts';

const NO_CLIPBOARD_MESSAGE = "The desktop of that computer doesn't let the agent use the clipboard";
const NO_HOTKEYS_MESSAGE = "The desktop of that computer doesn't let the agent listen for hotkeys";
const NO_RECORDING_MESSAGE = "The desktop of that computer doesn't let the agent record the screen";
const NO_POINTER_MESSAGE = "The desktop of that computer doesn't let the agent move the mouse";

/** What a desktop session needs to know about this computer. */
export interface WaylandSessionOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly heldPath: string;
  readonly guardian?: GuardianCommand | undefined;
}

export function createUnavailableClipboard(reason = NO_CLIPBOARD_MESSAGE): ClipboardDriver {
  const refuse = () => Promise.reject(new Refusal('device.no_clipboard', reason));
  return { ability: { able: false, reason }, read: refuse, write: refuse };
}

const createUnavailableHotkeys = (): SessionHotkeys => ({
  listen: (chords, { onStatus }) => onStatus(new Map(chords.map((_, index) => [index, NO_HOTKEYS_MESSAGE]))),
  runWithout: (task) => task(),
});

export function createUnavailableCapture(reason: string): CaptureDriver {
  return {
    ability: { able: false, reason },
    start: () => Promise.reject(new Refusal('capture.unsupported', reason)),
  };
}

export function createUnavailableMouse(reason: string): MouseDriver {
  return {
    ability: { able: false, reason },
    move: () => undefined,
    centre: () => undefined,
    button: () => undefined,
    wheel: () => undefined,
    releaseAll: async () => undefined,
  };
}

function openMouse(connection: WaylandConnection, seat: WaylandObject<'wl_seat'>, heldInputs: HeldInputs): MouseDriver {
  const manager = connection.bind('zwlr_virtual_pointer_manager_v1', 1);
  if (!manager) return createUnavailableMouse(NO_POINTER_MESSAGE);
  const pointer = connection.create('zwlr_virtual_pointer_v1');
  manager.send('create_virtual_pointer', seat, pointer);
  return createWaylandPointer(pointer, heldInputs);
}

/** Connects to sway's own interface, if the compositor is sway. */
async function openSway(env: NodeJS.ProcessEnv): Promise<SwayIpc | undefined> {
  const path = findSwaySocket(env);
  return path === undefined ? undefined : connectSway(path).catch(() => undefined);
}

/** @throws Refusal if the compositor can't be reached. */
export async function connectDesktop(env: NodeJS.ProcessEnv): Promise<WaylandConnection> {
  try {
    return await connectWayland(getWaylandSocketPath(env));
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal('device.no_display', `The agent can't reach the desktop of that computer: ${problem}`, { cause });
  }
}

/** Returns the desktop's own name, such as 'labwc' of 'labwc:wlroots'. */
const getDesktopName = (env: NodeJS.ProcessEnv): string => env['XDG_CURRENT_DESKTOP']?.split(':')[0] || 'a desktop';

/**
 * Records what is held, for a guardian that ends this process if it hangs. The compositor then releases everything.
 * @param means what the guardian needs to release it if the compositor doesn't.
 */
export function openGuardedInputs(
  { env, heldPath, guardian }: WaylandSessionOptions,
  release: () => Promise<void>,
  means: Pick<GuardedProcess, 'fakeInput' | 'waylandSocket'> = {},
): HeldInputs & Disposable {
  const guardianProcess =
    guardian && startGuardian(guardian, { pid: process.pid, ...means }, () => heldInputs.listGuardianLines());
  const heldInputs = createHeldInputs({
    display: env['WAYLAND_DISPLAY'] ?? '',
    path: heldPath,
    sendToGuardian: (line) => guardianProcess?.send(line),
    release: () => void release().catch(() => undefined), // the desktop has ended
  });
  return {
    ...heldInputs,
    [Symbol.dispose]: () => {
      heldInputs.close();
      guardianProcess?.close();
    },
  };
}

/**
 * Opens the drivers of a Wayland compositor that offers virtual keyboards: sway, labwc, Hyprland and others on wlroots.
 * @throws Refusal if the compositor can't be reached, or lets no program type.
 */
export async function openWaylandSession({ env, heldPath, guardian }: WaylandSessionOptions): Promise<DesktopSession> {
  await using opening = new AsyncDisposableStack();
  const connection = opening.use(await connectDesktop(env));
  const seat = connection.bind('wl_seat', 5);
  const keyboardManager = connection.bind('zwp_virtual_keyboard_manager_v1', 1);
  if (!seat || !keyboardManager)
    throw new Refusal(
      'device.unsupported_desktop',
      `That computer runs ${getDesktopName(env)} on Wayland, which doesn't let the agent type. Log in to another session there`,
    );
  const waylandSocket = getWaylandSocketPath(env);
  const leftovers = readLeftovers(heldPath);
  if (leftovers && leftovers.display === env['WAYLAND_DISPLAY'])
    await releaseVirtualInputs(waylandSocket, leftovers.held);
  const heldInputs = opening.use(openGuardedInputs({ env, heldPath, guardian }, releaseAll, { waylandSocket }));
  const idleTime = openIdleTime(connection, seat);
  const sway = await openSway(env);
  if (sway) {
    opening.use(sway);
    // Without it, the focused window is unknown.
    sway.onClosed(() => connection.close('the connection to sway ended'));
  }
  const windows = sway ? await openSwayWindows(sway, idleTime) : await openToplevels(connection, idleTime);
  const virtualKeyboard = await openVirtualKeyboard(connection, keyboardManager);
  const findSymbolCode = (keysym: number): number | undefined => findKeyCode(virtualKeyboard.getKeymap(), keysym);
  const hotkeys = sway ? opening.use(openSwayHotkeys(sway, findSymbolCode)) : createUnavailableHotkeys();
  const inputMethods = connection.bind('zwp_input_method_manager_v2', 1);
  const keyboard = createWaylandKeyboard({
    connection,
    keyboard: virtualKeyboard,
    heldInputs,
    openTextField: async () => inputMethods && openTextField(connection, seat, inputMethods),
    readFocusedWindow: windows.readFocused,
  });
  const mouse = openMouse(connection, seat, heldInputs);
  const clipboard = (await openWaylandClipboard(connection, seat)) ?? createUnavailableClipboard();
  const openScreen = findScreenSource(connection);
  async function releaseAll(): Promise<void> {
    await Promise.all([keyboard.releaseAll(), mouse.releaseAll()]).catch(() => undefined); // the compositor has ended
  }
  opening.defer(releaseAll);
  await connection.sync();
  const opened = opening.move();
  return {
    name: `${sway ? 'sway' : getDesktopName(env)} on Wayland`,
    keyboard: {
      ...keyboard,
      type: (text, onProgress) => hotkeys.runWithout(() => keyboard.type(text, onProgress)),
      press: (keys) => hotkeys.runWithout(() => keyboard.press(keys)),
    },
    mouse,
    clipboard,
    windows,
    hotkeys,
    capture: openScreen ? openCaptureDriver({ env, openScreen }) : createUnavailableCapture(NO_RECORDING_MESSAGE),
    onClosed: connection.onClosed,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
