import type { DesktopSession } from '../desktopSession.ts';
import type { Ability } from '../drivers.ts';
import { openCaptureDriver } from '../screenCapture.ts';
import { openXClipboard } from './clipboard.ts';
import { openXDesktop, type XDesktopOptions } from './desktop.ts';
import { openXHotkeys } from './hotkeys.ts';
import { openXWindows } from './windows.ts';

const ABLE: Ability = { able: true };

export interface XSessionOptions extends XDesktopOptions {
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Opens the drivers of an X display.
 * @throws if the display is missing, or lacks XTEST or XKB.
 */
export async function openXSession({ env, ...options }: XSessionOptions): Promise<DesktopSession> {
  const { display } = options;
  await using opening = new AsyncDisposableStack();
  const windows = opening.use(await openXWindows(display));
  const desktop = opening.use(await openXDesktop(options));
  const hotkeys = opening.use(await openXHotkeys(display));
  const clipboard = opening.use(openXClipboard(display));
  const { keyboard, mouse, releaseAll, onClosed } = desktop;
  const opened = opening.move();
  return {
    name: 'X11',
    keyboard: {
      ability: ABLE,
      type: (text, onProgress) => hotkeys.runWithout(() => keyboard.type(text, onProgress)),
      press: (keys) => hotkeys.runWithout(() => keyboard.press(keys)),
      holdModifiers: keyboard.hold,
      releaseAll,
    },
    mouse: { ability: ABLE, ...mouse, releaseAll },
    clipboard: { ability: ABLE, read: clipboard.read, write: clipboard.write },
    windows,
    hotkeys,
    capture: openCaptureDriver({ env, getDisplayAbility: () => ABLE }),
    onClosed,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
