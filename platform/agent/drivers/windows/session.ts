import { Refusal } from '#platform/contract/refusal.ts';
import type { DesktopSession } from '../desktopSession.ts';
import { startGuardian, type GuardianCommand } from '../guardian.ts';
import { createHeldInputs, readLeftovers } from '../heldInputs.ts';
import { getFfi } from '../native/ffi.ts';
import { openWindowsClipboard } from './clipboard.ts';
import { openWindowsHotkeys } from './hotkeys.ts';
import { createWindowsKeyboard } from './keyboard.ts';
import { openKeyInjector, releaseHeldInputs } from './keyInjector.ts';
import { createWindowsPointer } from './pointer.ts';
import { openPrivileges } from './privileges.ts';
import { openWindowsOfWindows } from './windows.ts';

/** The name of the only desktop in the file of held inputs. */
const DISPLAY = 'windows';
const NO_RECORDING_MESSAGE = "The agent can't record the screen of Windows yet";
/** DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2 */
const PER_MONITOR = -4n;

/** Asks Windows for real pixels: otherwise positions are those of a screen without scaling. */
function usePhysicalPixels(): void {
  try {
    getFfi()
      .dlopen('user32.dll', { SetProcessDpiAwarenessContext: { arguments: ['int64'], return: 'int32' } })
      .functions.SetProcessDpiAwarenessContext(PER_MONITOR);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    // Before Windows 10 1703 there is one scaling for all screens.
  }
}

/** Releases what an earlier agent held. Returns lines that say what was done. */
export function releaseWindowsLeftovers(heldPath: string): readonly string[] {
  const leftovers = readLeftovers(heldPath);
  if (leftovers?.display === DISPLAY) releaseHeldInputs(leftovers.held);
  return ['Released every key and button that an agent was holding'];
}

export interface WindowsSessionOptions {
  readonly heldPath: string;
  readonly guardian?: GuardianCommand | undefined;
}

/**
 * Opens the drivers of Windows 10 and 11.
 * @throws Refusal if this Node is too old.
 */
export async function openWindowsSession({ heldPath, guardian }: WindowsSessionOptions): Promise<DesktopSession> {
  await using opening = new AsyncDisposableStack();
  usePhysicalPixels();
  const injector = openKeyInjector();
  releaseWindowsLeftovers(heldPath);
  const guardianProcess = guardian && startGuardian(guardian, { heldPath }, () => heldInputs.listGuardianLines());
  const heldInputs = createHeldInputs({
    display: DISPLAY,
    path: heldPath,
    sendToGuardian: (line) => guardianProcess?.send(line),
    release: (items) => releaseHeldInputs(items),
  });
  opening.defer(() => {
    heldInputs.close();
    guardianProcess?.close();
  });
  const windows = opening.use(openWindowsOfWindows(openPrivileges()));
  const hotkeys = opening.use(openWindowsHotkeys(injector));
  const keyboard = createWindowsKeyboard({ injector, heldInputs, getFocusedWindow: windows.getFocused });
  const mouse = createWindowsPointer(injector, heldInputs);
  opening.defer(async () => {
    await keyboard.releaseAll();
    await mouse.releaseAll();
  });
  const opened = opening.move();
  return {
    name: 'Windows desktop',
    keyboard: {
      ...keyboard,
      type: (text, onProgress) => hotkeys.runWithout(() => keyboard.type(text, onProgress)),
      press: (keys) => hotkeys.runWithout(() => keyboard.press(keys)),
    },
    mouse,
    clipboard: openWindowsClipboard(),
    windows,
    hotkeys,
    capture: {
      ability: { able: false, reason: NO_RECORDING_MESSAGE },
      start: () => Promise.reject(new Refusal('capture.unsupported', NO_RECORDING_MESSAGE)),
    },
    // Windows ends the agent together with the desktop.
    onClosed: () => undefined,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
