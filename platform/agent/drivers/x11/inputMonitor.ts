import x11, { type XInput } from 'x11';
import { DisplayLostError, parseCardinals, type Display } from './display.ts';

const ANY_TYPE = 0;
/** The unit is four bytes: a window manager lists some hundred supported features. */
const MAX_PROPERTY_LONGS = 1024;
/** Creates a new promise each time, so that waiting callers can be collected. */
const waitForever = (): Promise<void> => new Promise(() => undefined);

/** Finds out whether the focused program and the window manager have read what was sent to them. */
export interface ReadConfirmation {
  /**
   * Resolves once the program has answered, after everything sent before; never if its window does not support pings.
   */
  readonly waitForProgram: () => Promise<void>;
  /** Resolves once the window manager has read everything before; immediately if there is none that answers. */
  readonly waitForWindowManager: () => Promise<void>;
}

/**
 * Uses the window manager's check whether a program is alive (`_NET_WM_PING`): events are read in order, so the pong
 * follows the keys.
 */
export function createReadConfirmation(display: Display): ReadConfirmation {
  const { x, root, request } = display;
  const resolveByPing = new Map<number, () => void>();
  let lastPing = 0;

  const internAtom = (name: string): Promise<number> => request((done) => x.InternAtom(false, name, done));
  const readProperty = (window: number, name: number): Promise<readonly number[]> =>
    request<{ readonly type: number; readonly data: Buffer }>((done) =>
      x.GetProperty(0, window, name, ANY_TYPE, 0, MAX_PROPERTY_LONGS, done),
    ).then(({ data }) => parseCardinals(data));
  async function openPing() {
    const [active, protocols, ping] = await Promise.all([
      internAtom('_NET_ACTIVE_WINDOW'),
      internAtom('WM_PROTOCOLS'),
      internAtom('_NET_WM_PING'),
    ]);
    display.onEvent(({ name, data }) => {
      if (name !== 'ClientMessage' || data[0] !== ping) return;
      resolveByPing.get(data[1] ?? 0)?.();
    });
    x.ChangeWindowAttributes(root, { eventMask: x11.eventMask.SubstructureNotify });
    return { active, protocols, ping };
  }
  let opening: ReturnType<typeof openPing> | undefined;

  async function pingProgram(): Promise<void> {
    const { active, protocols, ping } = await (opening ??= openPing());
    const [window = 0] = await readProperty(root, active);
    if (window === 0 || !(await readProperty(window, protocols)).includes(ping)) return waitForever();
    resolveByPing.clear(); // earlier callers have given up
    lastPing += 1;
    const pingId = lastPing;
    const answer = new Promise<void>((resolve) => resolveByPing.set(pingId, resolve));
    await request<unknown>((done) =>
      x.SendClientMessage(window, window, protocols, 32, [ping, pingId, window], 0, done),
    );
    await answer.finally(() => resolveByPing.delete(pingId));
  }

  /**
   * The window manager answers `_NET_REQUEST_FRAME_EXTENTS` with a property of our own window, which is never shown.
   */
  async function openManager() {
    const [supported, extentsRequest, extents] = await Promise.all([
      internAtom('_NET_SUPPORTED'),
      internAtom('_NET_REQUEST_FRAME_EXTENTS'),
      internAtom('_NET_FRAME_EXTENTS'),
    ]);
    const window = x.AllocID();
    x.CreateWindow(window, root, 0, 0, 1, 1, 0, 0, 0, 0, { eventMask: x11.eventMask.PropertyChange });
    const listeners = new Set<() => void>();
    display.onEvent(({ name, wid, atom }) => {
      if (name === 'PropertyNotify' && wid === window && atom === extents) for (const listener of listeners) listener();
    });
    return { supported, extentsRequest, window, listeners };
  }
  let manager: ReturnType<typeof openManager> | undefined;
  async function pingWindowManager(): Promise<void> {
    const { supported, extentsRequest, window, listeners } = await (manager ??= openManager());
    if (!(await readProperty(root, supported)).includes(extentsRequest)) return;
    const { SubstructureNotify, SubstructureRedirect } = x11.eventMask;
    const answer = Promise.withResolvers<void>();
    listeners.add(answer.resolve);
    x.SendClientMessage(root, window, extentsRequest, 32, [0], SubstructureNotify | SubstructureRedirect, () => true);
    await answer.promise.finally(() => listeners.delete(answer.resolve));
  }

  // A window that was closed meanwhile answers with an error; it is treated like one that never answers.
  return {
    waitForProgram: () => pingProgram().catch(waitForever),
    waitForWindowManager: () => pingWindowManager().catch(() => undefined),
  };
}

interface Geometry {
  readonly xPos: number;
  readonly yPos: number;
  readonly width: number;
  readonly height: number;
}

/** Detects keys of others and changes of the focus while a text is typed. */
export interface InputMonitor {
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

/** Creates a monitor of raw key presses through the X Input Extension, which reports them during a grab too. */
export function createInputMonitor(display: Display): InputMonitor {
  const { x, root, request } = display;
  let count = 0;
  let input: Promise<XInput | undefined> | undefined;
  let isCounting = false;

  async function openExtension(): Promise<XInput> {
    const extension = await request<XInput>((done) => x.require('xinput', done));
    // All clients get raw events since version 2.1.
    await request<unknown>((done) => extension.XIQueryVersion(2, 2, done));
    display.onEvent(({ name }) => {
      if (name === 'XIRawKeyPress') count += 1;
    });
    return extension;
  }
  const selectEvents = (extension: XInput, mask: number): void =>
    extension.XISelectEvents(root, { deviceId: extension.AllMasterDevices, mask });

  /** GTK and Java focus a hidden child of their window. */
  async function findTopLevel(window: number): Promise<number> {
    const { parent } = await request<{ readonly parent: number }>((done) => x.QueryTree(window, done));
    return parent === root || parent === NO_WINDOW ? window : findTopLevel(parent);
  }
  async function isOnScreen(window: number): Promise<boolean> {
    const { xPos, yPos, width, height } = await request<Geometry>((done) => x.GetGeometry(window, done));
    return xPos + width > 0 && yPos + height > 0;
  }
  /** If the root window has the focus, keys go to the window under the pointer. */
  async function findUnderPointer(): Promise<number | undefined> {
    const { child } = await request<{ readonly child: number }>((done) => x.QueryPointer(root, done));
    return child === NO_WINDOW ? undefined : child;
  }
  /** Window managers focus the root window, or a window beside the screen, while no other window has the focus. */
  async function findVisible(focus: number): Promise<number | undefined> {
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
  }
  /** Menus, launchers and screen locks grab the keyboard, whatever has the focus. */
  async function isGrabbed(): Promise<boolean> {
    const status = await request<number>((done) => x.GrabKeyboard(root, 0, 0, GRAB_ASYNC, GRAB_ASYNC, done));
    if (status === GRABBED) x.UngrabKeyboard(0);
    return status === ALREADY_GRABBED;
  }

  return {
    start: async () => {
      input ??= openExtension().catch(() => undefined);
      const extension = await input;
      if (extension) selectEvents(extension, extension.EventMask.RawKeyPress);
      await display.sync();
      isCounting = extension !== undefined;
      count = 0;
    },
    stop: () => {
      isCounting = false;
      void input?.then((extension) => extension && selectEvents(extension, 0));
    },
    countPressed: () => (isCounting ? count : undefined),
    getFocus: async () => {
      const { focus } = await request<{ readonly focus: number }>((done) => x.GetInputFocus(done));
      return (await findVisible(focus)) ?? ((await isGrabbed()) ? NO_WINDOW : undefined);
    },
  };
}
