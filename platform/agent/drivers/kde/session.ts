import type { SessionBus } from '@homebridge/dbus-native';
import { Refusal } from '#platform/contract/refusal.ts';
import type { DesktopSession, SessionHotkeys } from '../desktopSession.ts';
import type { KeyboardDriver } from '../drivers.ts';
import { readLeftovers } from '../heldInputs.ts';
import { connectBus, hasNameOwner } from '../sessionBus.ts';
import { openWaylandClipboard } from '../wayland/clipboard.ts';
import { openIdleTime } from '../wayland/idleTime.ts';
import { openSeatKeymap } from '../wayland/seatKeymap.ts';
import {
  connectDesktop,
  createUnavailableCapture,
  createUnavailableClipboard,
  createUnavailableMouse,
  openGuardedInputs,
  type WaylandSessionOptions,
} from '../wayland/session.ts';
import { isNamedInKdeEntry } from './desktopEntry.ts';
import { openFakeInput, toFakeInput, type FakeInput } from './fakeInput.ts';
import { openKdeHotkeys } from './hotkeys.ts';
import { createKdeKeyboard, createLayoutSwitch } from './keyboard.ts';
import { openKeyStates } from './keyStates.ts';
import { createKdePointer } from './pointer.ts';
import { KWIN_NAME, openKdeWindows } from './windows.ts';

const NOT_INSTALLED_MESSAGE =
  'KDE lets only an installed agent type. On that computer, run the agent\'s command with "install" instead of "run"';
const ENTRY_UNREAD_MESSAGE =
  'KDE has not noticed yet that the agent is installed. Log out on that computer, then log in again';
const NO_RECORDING_MESSAGE = "The agent can't record the screen of a KDE desktop on Wayland yet";

function createUnavailableKeyboard(reason: string): KeyboardDriver {
  const refuse = (): Promise<never> => Promise.reject(new Refusal('device.not_installed', reason));
  return {
    ability: { able: false, reason },
    type: refuse,
    press: refuse,
    holdModifiers: refuse,
    releaseAll: async () => undefined,
  };
}

/** Releases what an agent left down that was killed together with its guardian. KWin 6 has done that itself. */
function releaseLeftovers(input: FakeInput, heldPath: string, display: string): void {
  const leftovers = readLeftovers(heldPath);
  if (leftovers?.display !== display) return;
  for (const item of leftovers.held) {
    const { request, code } = toFakeInput(item);
    input.send(request, code, 0);
  }
}

/** Connects to the session bus; undefined if there is none, or KWin is not on it. */
async function connectKwinBus(env: NodeJS.ProcessEnv): Promise<SessionBus | undefined> {
  const address = env['DBUS_SESSION_BUS_ADDRESS'];
  const bus = address ? connectBus(address) : undefined;
  if (bus && (await hasNameOwner(bus, KWIN_NAME).catch(() => false))) return bus;
  bus?.connection.end();
  return undefined;
}

/**
 * Opens the drivers of KDE Plasma on Wayland. Returns undefined if the compositor is another one, which may run in a
 * window of a KDE desktop.
 *
 * It connects only once: for each connection, KWin 5.27 reads our whole program and does nothing else meanwhile.
 * @throws Refusal if KWin can't be reached.
 */
export async function openKdeSession(options: WaylandSessionOptions): Promise<DesktopSession | undefined> {
  const { env, heldPath } = options;
  const bus = await connectKwinBus(env);
  if (!bus) return undefined;
  await using opening = new AsyncDisposableStack();
  opening.defer(() => bus.connection.end());
  const connection = opening.use(await connectDesktop(env));
  const seat = connection.bind('wl_seat', 5);
  if (!seat || connection.getVersion('org_kde_plasma_shell') === 0) return undefined;
  const input = openFakeInput(connection);
  if (input) releaseLeftovers(input, heldPath, env['WAYLAND_DISPLAY'] ?? '');
  const fakeInput = input && { descriptor: connection.descriptor, objectId: input.objectId };
  const heldInputs = opening.use(openGuardedInputs(options, releaseAll, { fakeInput }));
  // The guardian can't be started again, as it would get a closed descriptor.
  connection.onClosed(() => heldInputs[Symbol.dispose]());

  const seatKeymap = await openSeatKeymap(connection);
  const windows = opening.use(await openKdeWindows(bus, env, openIdleTime(connection, seat)));
  const hotkeys: SessionHotkeys = opening.use(await openKdeHotkeys(bus));
  const reason = isNamedInKdeEntry(env) ? ENTRY_UNREAD_MESSAGE : NOT_INSTALLED_MESSAGE;
  const keyboard = input
    ? createKdeKeyboard({
        connection,
        input,
        getKeymap: seatKeymap.getKeymap,
        keyStates: openKeyStates(connection),
        layoutSwitch: createLayoutSwitch(bus),
        heldInputs,
        getFocusedWindow: windows.getFocused,
      })
    : createUnavailableKeyboard(reason);
  const mouse = input ? createKdePointer(input, heldInputs, windows.getScreenSize) : createUnavailableMouse(reason);
  const clipboard = (await openWaylandClipboard(connection, seat)) ?? createUnavailableClipboard();
  async function releaseAll(): Promise<void> {
    await Promise.all([keyboard.releaseAll(), mouse.releaseAll()]);
  }
  opening.defer(releaseAll);
  await connection.sync();
  const opened = opening.move();
  return {
    name: 'KDE on Wayland',
    keyboard: {
      ...keyboard,
      type: (text, onProgress) => hotkeys.runWithout(() => keyboard.type(text, onProgress)),
      press: (keys) => hotkeys.runWithout(() => keyboard.press(keys)),
    },
    mouse,
    clipboard,
    windows,
    hotkeys,
    capture: createUnavailableCapture(NO_RECORDING_MESSAGE),
    onClosed: connection.onClosed,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
