// Our input method for IBus, GNOME's input method framework. It inserts whole texts into the focused text field.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionBus } from '@homebridge/dbus-native';
import { Refusal } from '#platform/contract/refusal.ts';
import { KEYSYM } from '../keysyms.ts';
import { BUS_SERVICE, callBus, connectBus, isRefusedCall, onBusEnd } from '../sessionBus.ts';
import { splitByBytes } from '../wayland/inputMethod.ts';
import {
  BUS_NAME,
  COMPONENT,
  DEFAULT_ENGINE,
  ENGINE_DEFINITION,
  ENGINE_INTERFACE,
  ENGINE_NAME,
  ENGINE_PATH,
  IBUS,
  isOwnEngine,
  NO_FIELD_PATH,
  readCurrentContext,
  readGlobalEngine,
  SERVICE_DEFINITION,
  setGlobalEngine,
  toIbusText,
} from './ibusProtocol.ts';

/** A text field reports its focus within this time. */
const FOCUS_TIMEOUT_MS = 500;
/** How long a program may take to report that its cursor moved. */
const CHANGE_TIMEOUT_MS = 500;
/** The same for programs that haven't reported the last time. */
const SILENT_CHANGE_TIMEOUT_MS = 80;
/** The desktop uses some keys itself, which don't come to the input method. */
const KEY_PRESS_TIMEOUT_MS = 250;
const isModifier = (keysym: number): boolean => (keysym >= 0xffe1 && keysym <= 0xffee) || keysym === KEYSYM.level3;
/** A Wayland message has at most 4096 bytes. */
const MAX_COMMIT_BYTES = 3900;
const NOT_RESPONDING_MESSAGE =
  "The input method of that computer (IBus) is not responding. Run 'ibus restart' there, check the text, then try again";
/** The client of the input context `NO_FIELD_PATH`. */
const NO_FIELD_CLIENT = 'fake';
/** Programs for X11. IBus doesn't notice when one with the focus ends. */
const X11_CLIENT = 'xim';
/** Bit of a key event's state: the key was released. */
const RELEASE_MASK = 1 << 30;

/**
 * The focused text field while our engine is in use. Programs handle keys later than texts, so a key and a text that
 * follow each other need a wait between them.
 */
export interface IbusTextField extends AsyncDisposable {
  readonly insert: (text: string) => void;
  /** Presses and releases a key. Resolves when the program has reported that its cursor moved, if it does. */
  readonly sendKey: (keysym: number, code: number) => Promise<void>;
  /** Resolves when a key that is pressed from now on, other than a modifier, has come to the input method. */
  readonly expectKeyPress: () => Promise<void>;
  readonly isFocused: () => boolean;
  /** Returns whether another input method has come into use meanwhile. Text that was inserted after that is lost. */
  readonly isReplaced: () => Promise<boolean>;
}

export interface TextFieldOptions {
  /** Whether to wait for a moment: a window that has just opened has no text field yet. */
  readonly isPatient: boolean;
  /** Whether the focused window is a program for X11; undefined if that is unknown. */
  readonly isX11: boolean | undefined;
}

/** A connection to IBus. Only one text field can be open at a time. */
export interface IbusConnection extends Disposable {
  readonly isOpen: () => boolean;
  /**
   * Resolves when IBus has handled everything that it got until now, or has ended.
   * @throws Refusal if it hangs.
   */
  readonly sync: () => Promise<void>;
  /**
   * Switches to our engine. Returns the focused text field; undefined if there is none.
   * @throws Refusal if IBus hangs; other errors if it fails.
   */
  readonly openTextField: (options: TextFieldOptions) => Promise<IbusTextField | undefined>;
}

export interface IbusOptions {
  readonly address: string;
  /** Called with the user's engine before ours replaces it, and with undefined when it is back. */
  readonly onEngineReplaced: (engine: string | undefined) => void;
}

const ignore = (): void => undefined;

/** @throws if the kind of the address is unknown. */
function requireBus(address: string): SessionBus {
  const bus = connectBus(address);
  if (!bus) throw new Error(`the address of IBus is unknown: ${address}`);
  return bus;
}

/**
 * Connects to IBus, and offers our engine.
 * @throws Refusal if IBus hangs; other errors if it can't be reached or refuses.
 */
export async function connectIbus({ address, onEngineReplaced }: IbusOptions): Promise<IbusConnection> {
  const bus = requireBus(address);
  using opening = new DisposableStack();
  opening.defer(() => bus.connection.end());
  let isOpen = true;
  /** Whether a text field is open or being opened. */
  let isInUse = false;
  /** The engine that ours replaces until it is back. */
  let userEngine: string | undefined;
  let engineCount = 0;
  let enginePath: string = ENGINE_PATH;
  let isFocused = false;
  let onChange: (() => void) | undefined;
  let isSilent = false;
  let isX11Expected: boolean | undefined;
  let onKeyPress: (() => void) | undefined;
  let onCreated: (() => void) | undefined;
  let onFocus: ((hasField: boolean) => void) | undefined;
  onBusEnd(bus, () => {
    isOpen = false;
    isFocused = false;
  });
  /** Names the reason if IBus hangs, which is no reason to type with keys: those go through it as well. */
  async function requireAnswer<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (cause) {
      if (!isOpen || isRefusedCall(cause)) throw cause;
      throw new Refusal('device.input_method_hangs', NOT_RESPONDING_MESSAGE, { cause });
    }
  }
  function setFocus(hasField: boolean): void {
    isFocused = hasField;
    onFocus?.(hasField);
  }
  function clearFocus(): void {
    isFocused = false;
  }
  const engine = {
    FocusId: true,
    ContentType: [0, 0],
    ActiveSurroundingText: false,
    // The first engine of a connection, and older versions of IBus, don't learn which program has the focus.
    FocusIn: () => void readCurrentContext(bus).then((path) => setFocus(path !== NO_FIELD_PATH)),
    FocusInId: (_path: string, client: string) =>
      setFocus(client !== NO_FIELD_CLIENT && !(client === X11_CLIENT && isX11Expected === false)),
    FocusOut: clearFocus,
    FocusOutId: clearFocus,
    ProcessKeyEvent: (keysym: number, _code: number, state: number) => {
      if ((state & RELEASE_MASK) === 0 && !isModifier(keysym)) onKeyPress?.();
      return false;
    },
    SetCursorLocation: () => onChange?.(),
    SetSurroundingText: ignore,
    Enable: ignore,
    Disable: ignore,
    Reset: ignore,
    SetCapabilities: ignore,
    PropertyActivate: ignore,
    PageUp: ignore,
    PageDown: ignore,
    CursorUp: ignore,
    CursorDown: ignore,
    CandidateClicked: ignore,
    Destroy: ignore,
  };
  /**
   * Called for each use of our engine. What is heard of the last use before has no meaning any more. If the engine of
   * the user fails, IBus takes the one that was registered last, which is ours.
   */
  function createEngine(): string {
    if (!isInUse) throw new Error('Pegboard types nothing now');
    Reflect.deleteProperty(bus.exportedObjects, enginePath);
    engineCount += 1;
    enginePath = `${ENGINE_PATH}/${engineCount}`;
    bus.exportInterface(engine, enginePath, ENGINE_DEFINITION);
    bus.exportInterface(engine, enginePath, SERVICE_DEFINITION);
    isFocused = false;
    isSilent = false;
    onCreated?.();
    return enginePath;
  }
  bus.exportInterface({ CreateEngine: createEngine }, '/org/freedesktop/IBus/Factory', {
    name: 'org.freedesktop.IBus.Factory',
    methods: { CreateEngine: ['s', 'o'] },
  });
  await requireAnswer(callBus(bus, { ...IBUS, member: 'RegisterComponent', signature: 'v', body: [COMPONENT] }));
  await callBus(bus, { ...BUS_SERVICE, member: 'RequestName', signature: 'su', body: [BUS_NAME, 0] });
  opening.move();

  const sendSignal = (member: string, signature: string, body: readonly unknown[]): void =>
    bus.sendSignal(enginePath, ENGINE_INTERFACE, member, signature, body);
  const waitForChange = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(
        () => {
          isSilent = true;
          resolve();
        },
        isSilent ? SILENT_CHANGE_TIMEOUT_MS : CHANGE_TIMEOUT_MS,
      ).unref();
      onChange = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  async function replaceEngine(): Promise<void> {
    const current = await requireAnswer(readGlobalEngine(bus));
    if (current !== undefined && !isOwnEngine(current)) userEngine = current;
    userEngine ??= DEFAULT_ENGINE;
    onEngineReplaced(userEngine);
    isInUse = true;
    await requireAnswer(setGlobalEngine(bus, ENGINE_NAME));
  }
  /** Switches to our engine. Returns whether a text field has the focus. */
  async function selectEngine(isPatient: boolean): Promise<boolean> {
    const focused = new Promise<boolean>((resolve) => {
      onCreated = () => {
        onFocus = (hasField) => {
          if (hasField || !isPatient) resolve(hasField);
        };
      };
    });
    const timeout = new AbortController();
    try {
      await replaceEngine();
      return await Promise.race([focused, sleep(FOCUS_TIMEOUT_MS, false, { signal: timeout.signal })]);
    } finally {
      timeout.abort();
      onCreated = undefined;
      onFocus = undefined;
    }
  }
  async function restoreUserEngine(): Promise<void> {
    if (!isInUse) return;
    isInUse = false;
    try {
      await setGlobalEngine(bus, userEngine ?? DEFAULT_ENGINE);
    } catch {
      return; // the next text tries it again, and the guardian when the agent ends
    }
    // IBus may have answered only after the next text has begun.
    if (isInUse) return;
    clearUserEngine();
  }
  function clearUserEngine(): void {
    userEngine = undefined;
    onEngineReplaced(undefined);
  }
  async function isReplaced(): Promise<boolean> {
    const current = await requireAnswer(readGlobalEngine(bus));
    return current !== undefined && !isOwnEngine(current);
  }
  /** Restores the engine of the user, unless the user has chosen another one meanwhile. */
  async function closeTextField(): Promise<void> {
    try {
      if (!(await isReplaced())) return await restoreUserEngine();
    } catch {
      // It hangs, and the answer to the command must not wait longer.
      void restoreUserEngine();
      return;
    }
    isInUse = false;
    clearUserEngine();
  }
  return {
    isOpen: () => isOpen,
    sync: async () => {
      try {
        await requireAnswer(readGlobalEngine(bus));
      } catch (error) {
        if (error instanceof Refusal) throw error;
        // It has ended.
      }
    },
    openTextField: async ({ isPatient, isX11 }) => {
      isX11Expected = isX11;
      try {
        let hasField = await selectEngine(isPatient);
        // Whenever somebody switches the layout, the desktop selects its own engine.
        if (await isReplaced()) hasField = await selectEngine(isPatient);
        if (!hasField) {
          await restoreUserEngine();
          return undefined;
        }
      } catch (error) {
        const restoring = restoreUserEngine();
        // While IBus hangs, it doesn't answer that either.
        if (!(error instanceof Refusal)) await restoring;
        throw error;
      }
      return {
        isFocused: () => isFocused,
        isReplaced,
        insert: (text) => {
          for (const piece of splitByBytes(text, MAX_COMMIT_BYTES)) sendSignal('CommitText', 'v', [toIbusText(piece)]);
        },
        sendKey: (keysym, code) => {
          const changed = waitForChange();
          for (const state of [0, RELEASE_MASK]) sendSignal('ForwardKeyEvent', 'uuu', [keysym, code, state]);
          return changed;
        },
        expectKeyPress: () =>
          new Promise((resolve) => {
            const timer = setTimeout(resolve, KEY_PRESS_TIMEOUT_MS);
            onKeyPress = () => {
              clearTimeout(timer);
              // The answer to IBus is sent first.
              setImmediate(resolve);
            };
          }),
        [Symbol.asyncDispose]: closeTextField,
      };
    },
    [Symbol.dispose]: () => {
      isOpen = false;
      bus.connection.end();
    },
  };
}
