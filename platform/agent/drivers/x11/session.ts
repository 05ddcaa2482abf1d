import type { DesktopSession } from '../desktopSession.ts';
import type { Ability } from '../drivers.ts';
import { FRAME_RATE, openCaptureDriver, type ScreenSource } from '../screenCapture.ts';
import { openXClipboard } from './clipboard.ts';
import { openXDesktop, type XDesktopOptions } from './desktop.ts';
import { openDisplay } from './display.ts';
import { openXHotkeys } from './hotkeys.ts';
import { openXWindows } from './windows.ts';

const ABLE: Ability = { able: true };

/** Opens a new connection, because a connection knows the screen's size only from when it was opened. */
async function openXScreen(name: string): Promise<ScreenSource> {
  await using display = await openDisplay(name);
  const { width, height } = display;
  return {
    width,
    height,
    listInputArgs: (region) =>
      [
        ['-f', 'x11grab', '-framerate', String(FRAME_RATE), '-video_size', `${region.width}x${region.height}`],
        ['-i', `${name}+${region.x},${region.y}`],
      ].flat(),
  };
}

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
    capture: openCaptureDriver({ env, openScreen: () => openXScreen(display) }),
    onClosed,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
