import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '#platform/contract/refusal.ts';
import type { WaylandConnection, WaylandObject } from './connection.ts';
import { FOCUS_MOVED_MESSAGE } from './keyboard.ts';

/** A program with a focused text field answers sooner, if the computer isn't very busy. */
const ACTIVATION_TIMEOUT_MS = 300;
/** How long a program that reports its text may take to report a change. */
const REPORT_TIMEOUT_MS = 1000;
/** How long to wait for programs that don't report their text. */
const CHANGE_TIMEOUT_MS = 50;
/** A Wayland message has at most 4096 bytes. */
const MAX_COMMIT_BYTES = 3900;

/** A text field that takes whole texts. */
export interface TextField extends Disposable {
  /** Inserts a text. @throws Refusal if the field has lost the focus. */
  readonly insert: (text: string) => Promise<void>;
  /**
   * Presses keys that change the text, and waits for the change: programs handle keys later than inserted text.
   * @throws Refusal if the field has lost the focus.
   */
  readonly pressKeys: (press: () => Promise<void>) => Promise<void>;
}

/** Divides a text into pieces of at most so many bytes, between characters. */
export function splitByBytes(text: string, maxBytes: number): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  let length = 0;
  for (const character of text) {
    const bytes = Buffer.byteLength(character);
    if (length + bytes > maxBytes) {
      pieces.push(piece);
      piece = '';
      length = 0;
    }
    piece += character;
    length += bytes;
  }
  return piece === '' ? pieces : [...pieces, piece];
}

/**
 * Becomes the input method for a moment. Returns the focused text field; undefined if there is none, its program
 * doesn't support input methods, or the user has another input method. Dispose of it soon: only one input method is
 * possible.
 */
export async function openTextField(
  connection: Pick<WaylandConnection, 'create' | 'sync'>,
  seat: WaylandObject<'wl_seat'>,
  manager: WaylandObject<'zwp_input_method_manager_v2'>,
): Promise<TextField | undefined> {
  /** The number of `done` events. */
  let serial = 0;
  let isActive = false;
  let activationCount = 0;
  /** The last report of the program about its text; undefined if it doesn't report it. */
  let report: string | undefined;
  let onDone: (() => void) | undefined;
  const { promise: activated, resolve } = Promise.withResolvers<boolean>();
  const inputMethod = connection.create('zwp_input_method_v2', {
    activate: () => {
      isActive = true;
      activationCount += 1;
      report = undefined;
    },
    surrounding_text: (text, cursor, anchor) => {
      report = `${cursor} ${anchor} ${text}`;
    },
    deactivate: () => {
      isActive = false;
    },
    done: () => {
      serial += 1;
      onDone?.();
      if (isActive) resolve(true);
    },
    unavailable: () => resolve(false),
  });
  manager.send('get_input_method', seat, inputMethod);
  const timeout = setTimeout(() => resolve(false), ACTIVATION_TIMEOUT_MS);
  const isFound = await activated;
  clearTimeout(timeout);
  if (!isFound) {
    inputMethod.send('destroy');
    return undefined;
  }
  async function change(act: () => void | Promise<void>): Promise<void> {
    // Compositors drop a commit whose serial is older than their last event.
    await connection.sync();
    if (!isActive) throw new Refusal('device.focus_moved', FOCUS_MOVED_MESSAGE);
    const [before, countBefore] = [report, activationCount];
    const { promise: changed, resolve: handleChange } = Promise.withResolvers<void>();
    onDone = () => {
      if (before === undefined || report !== before || activationCount !== countBefore) handleChange();
    };
    await act();
    await Promise.race([changed, sleep(before === undefined ? CHANGE_TIMEOUT_MS : REPORT_TIMEOUT_MS)]);
  }
  return {
    insert: async (text) => {
      for (const piece of splitByBytes(text, MAX_COMMIT_BYTES))
        await change(() => {
          inputMethod.send('commit_string', piece);
          inputMethod.send('commit', serial);
        });
    },
    pressKeys: change,
    [Symbol.dispose]: () => inputMethod.send('destroy'),
  };
}
