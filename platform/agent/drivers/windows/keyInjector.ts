import { Refusal } from '#platform/contract/refusal.ts';
import type { HeldInput } from '../heldInputs.ts';
import { encodeInputs, INPUT_BYTES, KEY_FLAG, MOUSE_FLAG, type KeyInput, type SystemInput } from './inputs.ts';
import { openKernel32, openUser32 } from './libraries.ts';
import { isExtendedKey, parseKeyScan, type LayoutKey, type VirtualKey } from './virtualKeys.ts';

/** Converts a virtual key to the scan code of its key in a layout. */
const TO_SCAN_CODE = 0;
const SWAPPED_BUTTONS = 23;
const ACCESS_DENIED = 5;
const BLOCKED_MESSAGE =
  'Windows accepts no input from the agent now: that computer is locked, or asks for permission. Unlock it or answer there';
const FAILED_MESSAGE = 'Windows did not accept the input. Look at the screen of that computer, then try again';

/** The buttons of the mouse as a person sees them, by the numbers of held inputs. */
const BUTTON_FLAGS = [
  [MOUSE_FLAG.leftDown, MOUSE_FLAG.leftUp],
  [MOUSE_FLAG.middleDown, MOUSE_FLAG.middleUp],
  [MOUSE_FLAG.rightDown, MOUSE_FLAG.rightUp],
] as const;

/** Puts keyboard and mouse events into the input of Windows. */
export interface KeyInjector {
  /**
   * Sends events in one piece, so that no other input gets between them.
   * @throws Refusal if Windows does not accept them.
   */
  readonly send: (inputs: readonly SystemInput[]) => void;
  readonly getScanCode: (virtualKey: number) => number;
  readonly toKeyInput: (key: VirtualKey, isDown: boolean) => KeyInput;
  /** Returns the event of a button: 1 is left, 2 middle, 3 right, even if the user has swapped them. */
  readonly toButtonInput: (button: number, isDown: boolean) => SystemInput;
  /** Returns the event that presses or releases a held input. */
  readonly toHeldInput: (item: HeldInput, isDown: boolean) => SystemInput;
  readonly isDown: (virtualKey: number) => boolean;
  /** Returns the key that types a character in the layout of the focused program; undefined if there is none. */
  readonly findLayoutKey: (character: string) => LayoutKey | undefined;
}

/**
 * Opens the input of Windows.
 * @throws Refusal if this Node is too old.
 */
export function openKeyInjector(): KeyInjector {
  const user32 = openUser32().functions;
  const { GetLastError } = openKernel32();
  /** Returns the layout of the program that gets the keys: each program of Windows can have another one. */
  function getLayout(): bigint {
    const threadId = user32.GetWindowThreadProcessId(user32.GetForegroundWindow(), null);
    return user32.GetKeyboardLayout(threadId);
  }
  const getScanCode = (virtualKey: number): number => user32.MapVirtualKeyExW(virtualKey, TO_SCAN_CODE, getLayout());

  function send(inputs: readonly SystemInput[]): void {
    if (inputs.length === 0) return;
    const accepted = user32.SendInput(inputs.length, encodeInputs(inputs), INPUT_BYTES);
    if (accepted === inputs.length) return;
    if (GetLastError() === ACCESS_DENIED) throw new Refusal('device.locked', BLOCKED_MESSAGE);
    throw new Refusal('device.input_failed', FAILED_MESSAGE);
  }
  const toKeyInput = ({ code, isExtended }: VirtualKey, isDown: boolean): KeyInput => ({
    virtualKey: code,
    scanCode: getScanCode(code),
    flags: (isExtended ? KEY_FLAG.extended : 0) | (isDown ? 0 : KEY_FLAG.up),
  });
  function toButtonInput(button: number, isDown: boolean): SystemInput {
    const isSwapped = user32.GetSystemMetrics(SWAPPED_BUTTONS) !== 0;
    const [down, up] = BUTTON_FLAGS[(isSwapped ? 4 - button : button) - 1] ?? BUTTON_FLAGS[0];
    return { dx: 0, dy: 0, data: 0, flags: isDown ? down : up };
  }
  return {
    send,
    getScanCode,
    toKeyInput,
    toButtonInput,
    toHeldInput: (item, isDown) => {
      const code = Number(item.slice(1));
      if (item.startsWith('b')) return toButtonInput(code, isDown);
      return toKeyInput({ code, isExtended: isExtendedKey(code) }, isDown);
    },
    isDown: (virtualKey) => (user32.GetAsyncKeyState(virtualKey) & 0x8000) !== 0,
    findLayoutKey: (character) =>
      character.length === 1 ? parseKeyScan(user32.VkKeyScanExW(character.charCodeAt(0), getLayout())) : undefined,
  };
}

/** Releases held inputs of this or another process. */
export function releaseHeldInputs(items: Iterable<HeldInput>): void {
  const injector = openKeyInjector();
  injector.send([...items].map((item) => injector.toHeldInput(item, false)));
}
