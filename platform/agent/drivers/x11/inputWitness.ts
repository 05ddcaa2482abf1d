import type { XInput } from 'x11';
import { DisplayLostError, type Display } from './display.ts';

interface Geometry {
  readonly xPos: number;
  readonly yPos: number;
  readonly width: number;
  readonly height: number;
}

/** Observes what other people and programs do while a text is typed. */
export interface InputWitness {
  /** Starts counting the keys that anyone presses on this display. */
  readonly start: () => Promise<void>;
  readonly stop: () => void;
  /** Returns how many keys were pressed since `start`; undefined if the X server does not report it. */
  readonly countPressed: () => number | undefined;
  /**
   * Returns the top-level window with the keyboard focus, 0 for a grab (menu, screen lock), undefined if nothing
   * receives keys.
   */
  readonly getFocus: () => Promise<number | undefined>;
}

const NO_WINDOW = 0;
/** The window under the pointer gets the keys. */
const POINTER_ROOT = 1;
const GRAB_ASYNC = 1;
const GRABBED = 0;
const ALREADY_GRABBED = 1;

/** Creates a witness that sees raw key presses through the X Input Extension, which reports them during a grab too. */
export function createInputWitness(display: Display): InputWitness {
  const { x, root, request } = display;
  let count = 0;
  let input: Promise<XInput | undefined> | undefined;
  let isCounting = false;

  const open = async (): Promise<XInput> => {
    const extension = await request<XInput>((done) => x.require('xinput', done));
    // All clients get raw events since version 2.1.
    await request<unknown>((done) => extension.XIQueryVersion(2, 2, done));
    display.onEvent(({ name }) => {
      if (name === 'XIRawKeyPress') count += 1;
    });
    return extension;
  };
  const select = (extension: XInput, mask: number): void =>
    extension.XISelectEvents(root, { deviceId: extension.AllMasterDevices, mask });

  /** GTK and Java focus a hidden child of their window. */
  const findTopLevel = async (window: number): Promise<number> => {
    const { parent } = await request<{ readonly parent: number }>((done) => x.QueryTree(window, done));
    return parent === root || parent === NO_WINDOW ? window : findTopLevel(parent);
  };
  const isOnScreen = async (window: number): Promise<boolean> => {
    const { xPos, yPos, width, height } = await request<Geometry>((done) => x.GetGeometry(window, done));
    return xPos + width > 0 && yPos + height > 0;
  };
  /** If the root window has the focus, keys go to the window under the pointer. */
  const findUnderPointer = async (): Promise<number | undefined> => {
    const { child } = await request<{ readonly child: number }>((done) => x.QueryPointer(root, done));
    return child === NO_WINDOW ? undefined : child;
  };
  /** Window managers focus the root window, or a window beside the screen, while no other window has the focus. */
  const findVisible = async (focus: number): Promise<number | undefined> => {
    if (focus === POINTER_ROOT) return focus;
    if (focus === NO_WINDOW) return undefined;
    if (focus === root) return findUnderPointer();
    try {
      const top = await findTopLevel(focus);
      return (await isOnScreen(top)) ? top : undefined;
    } catch (error) {
      if (error instanceof DisplayLostError) throw error;
      return undefined; // the window was closed in the meantime
    }
  };
  /** Menus, launchers and screen locks grab the keyboard, whatever has the focus. */
  const isGrabbed = async (): Promise<boolean> => {
    const status = await request<number>((done) => x.GrabKeyboard(root, 0, 0, GRAB_ASYNC, GRAB_ASYNC, done));
    if (status === GRABBED) x.UngrabKeyboard(0);
    return status === ALREADY_GRABBED;
  };

  return {
    start: async () => {
      input ??= open().catch(() => undefined);
      const extension = await input;
      if (extension) select(extension, extension.EventMask.RawKeyPress);
      await display.sync();
      isCounting = extension !== undefined;
      count = 0;
    },
    stop: () => {
      isCounting = false;
      void input?.then((extension) => extension && select(extension, 0));
    },
    countPressed: () => (isCounting ? count : undefined),
    getFocus: async () => {
      const { focus } = await request<{ readonly focus: number }>((done) => x.GetInputFocus(done));
      return (await findVisible(focus)) ?? ((await isGrabbed()) ? NO_WINDOW : undefined);
    },
  };
}
