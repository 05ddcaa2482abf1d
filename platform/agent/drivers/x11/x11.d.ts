// The parts of the X11 protocol client that this project uses; the package has no types of its own.
declare module 'x11' {
  import type { EventEmitter } from 'node:events';

  /** Returns true if the error was handled; otherwise it is emitted as `error` as well. */
  type Done<T> = (error: Error | null | undefined, value: T) => boolean;

  export interface XEvent {
    readonly name: string;
    readonly type: number;
    readonly wid: number;
    readonly keycode: number;
    readonly buttons: number;
    readonly x: number;
    readonly y: number;
    readonly rootx: number;
    readonly rooty: number;
    readonly atom: number;
    readonly message_type: number;
    readonly data: readonly number[];
    /** For selections and properties: milliseconds of the server's clock. */
    readonly time: number;
    /** For PropertyNotify: 0 new value, 1 deleted. */
    readonly state: number;
    readonly owner: number;
    readonly requestor: number;
    readonly selection: number;
    readonly target: number;
    readonly property: number;
    /** For MappingNotify: 0 modifiers, 1 keys, 2 buttons. */
    readonly request: number;
  }

  export interface XTest {
    readonly KeyPress: 2;
    readonly KeyRelease: 3;
    readonly ButtonPress: 4;
    readonly ButtonRelease: 5;
    readonly MotionNotify: 6;
    FakeInput(type: number, detail: number, time: number, window: number, x: number, y: number): void;
  }

  export interface XInput {
    XIQueryVersion(major: number, minor: number, done: Done<{ readonly majorVersion: number }>): void;
    /** An empty mask cancels the selection. */
    XISelectEvents(window: number, masks: { readonly deviceId: number; readonly mask: number }): void;
    readonly AllMasterDevices: number;
    readonly EventMask: { readonly RawKeyPress: number };
  }

  export interface XKeyboard {
    LatchLockState(
      device: number,
      affectModLocks: number,
      modLocks: number,
      lockGroup: boolean,
      groupLock: number,
      affectModLatches: number,
      modLatches: number,
      latchGroup: boolean,
      groupLatch: number,
    ): void;
    GetState(device: number, done: Done<XKeyboardState>): void;
    readonly UseCoreKbd: number;
    readonly majorOpcode: number;
  }

  export interface XKeyboardState {
    /** Masks of modifiers: held, latched for the next key, and locked. */
    readonly baseMods: number;
    readonly latchedMods: number;
    readonly lockedMods: number;
    /** The effective layout: the sum of the other three, wrapped. */
    readonly group: number;
    readonly latchedGroup: number;
    readonly lockedGroup: number;
  }

  export interface XScreenSaver {
    /** `idle` in milliseconds. */
    QueryInfo(drawable: number, done: Done<{ readonly idle: number }>): void;
  }

  export interface XClient extends EventEmitter {
    atoms: Readonly<Record<string, number>>;
    AllocID(): number;
    terminate(): void;
    require(extension: 'xtest', done: (error: Error | null, extension: XTest) => void): void;
    require(extension: 'xinput', done: (error: Error | null | undefined, extension: XInput) => void): void;
    require(extension: 'xkb', done: (error: Error | null | undefined, extension: XKeyboard) => void): void;
    require(extension: 'screen-saver', done: (error: Error | null, extension: XScreenSaver) => void): void;
    GetInputFocus(done: Done<{ readonly focus: number; readonly revertTo: number }>): void;
    GetGeometry(
      window: number,
      done: Done<{
        readonly xPos: number;
        readonly yPos: number;
        readonly width: number;
        readonly height: number;
      }>,
    ): void;
    /** `parent` is 0 for the root window. */
    QueryTree(window: number, done: Done<{ readonly parent: number }>): void;
    /** Returns 0 for success and 1 if another client has a grab. Mode 1 does not freeze the devices. */
    GrabKeyboard(
      window: number,
      ownerEvents: 0 | 1,
      time: number,
      pointerMode: number,
      keyboardMode: number,
      done: Done<number>,
    ): void;
    UngrabKeyboard(time: number): void;
    GetKeyboardMapping(first: number, count: number, done: Done<readonly (readonly number[])[]>): void;
    GetModifierMapping(done: Done<readonly (readonly number[])[]>): void;
    ChangeKeyboardMapping(first: number, perKeycode: number, keysyms: readonly number[]): void;
    QueryKeymap(done: Done<Buffer>): void;
    QueryPointer(
      window: number,
      done: Done<{ readonly keyMask: number; readonly child: number; readonly rootX: number; readonly rootY: number }>,
    ): void;
    InternAtom(onlyIfExists: boolean, name: string, done: Done<number>): void;
    GetProperty(
      remove: 0 | 1,
      window: number,
      property: number,
      type: number,
      offset: number,
      length: number,
      done: Done<{
        readonly type: number;
        readonly format: number;
        readonly bytesAfter: number;
        readonly data: Buffer;
      }>,
    ): void;
    /** `mode` 0 replaces, 2 appends; numbers are written with the width of `format`. */
    ChangeProperty(
      mode: 0 | 2,
      window: number,
      property: number,
      type: number,
      format: 8 | 32,
      data: Buffer | readonly number[],
    ): void;
    SetSelectionOwner(owner: number, selection: number, time: number): void;
    GetSelectionOwner(selection: number, done: Done<number>): void;
    ConvertSelection(requestor: number, selection: number, target: number, property: number, time: number): void;
    SendEvent(
      destination: number,
      propagate: 0,
      eventMask: number,
      event: Pick<XEvent, 'name' | 'type' | 'time' | 'requestor' | 'selection' | 'target' | 'property'>,
    ): void;
    DestroyWindow(window: number): void;
    ChangeWindowAttributes(window: number, values: { readonly eventMask: number }): void;
    SendClientMessage(
      destination: number,
      window: number,
      type: number,
      format: 32,
      data: readonly number[],
      eventMask: number,
      done: Done<unknown>,
    ): void;
    CreateWindow(
      id: number,
      parent: number,
      x: number,
      y: number,
      width: number,
      height: number,
      border: number,
      depth: number,
      windowClass: number,
      visual: number,
      values: { readonly eventMask: number; readonly overrideRedirect?: boolean },
    ): void;
    MapWindow(window: number): void;
    WarpPointer(
      from: number,
      to: number,
      fromX: number,
      fromY: number,
      fromWidth: number,
      fromHeight: number,
      x: number,
      y: number,
    ): void;
    SetInputFocus(window: number, revertTo: number): void;
    /** With both modes 1, the devices are not frozen while the key is held. */
    GrabKey(
      window: number,
      ownerEvents: 0,
      modifiers: number,
      keycode: number,
      pointerMode: 1,
      keyboardMode: 1,
      done: Done<unknown>,
    ): void;
    UngrabKey(window: number, keycode: number, modifiers: number): void;
    /** Ends the grab that a pressed key has started. */
    UngrabKeyboard(time: 0): void;
  }

  export interface XDisplay {
    readonly client: XClient;
    readonly min_keycode: number;
    readonly max_keycode: number;
    readonly screen: readonly {
      readonly root: number;
      readonly pixel_width: number;
      readonly pixel_height: number;
    }[];
  }

  export interface ClientOptions {
    readonly display: string;
    readonly bufferRequests: boolean;
    readonly shm: false;
    readonly disableBigRequests: boolean;
  }

  const x11: {
    createClient(options: ClientOptions, ready: (error: Error | undefined, display: XDisplay) => void): XClient;
    readonly eventMask: Readonly<
      Record<
        | 'KeyPress'
        | 'KeyRelease'
        | 'ButtonPress'
        | 'ButtonRelease'
        | 'PointerMotion'
        | 'SubstructureNotify'
        | 'SubstructureRedirect'
        | 'FocusChange'
        | 'PropertyChange'
        | 'Exposure',
        number
      >
    >;
    readonly keySyms: Readonly<Record<string, { readonly code: number; readonly description: string | null }>>;
  };
  export default x11;
}
