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
const INSERT_ATTEMPTS = 3;
const FIELD_CHANGES_MESSAGE =
  'A program on that computer changes its text all the time, so a part of yours is missing. Check the text there';
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
  /** Returns whether the program reports another text than before within the time that it may take. */
  async function waitForChange(before: string | undefined, countBefore: number): Promise<boolean> {
    const hasChanged = (): boolean => report !== before || activationCount !== countBefore;
    if (before !== undefined && hasChanged()) return true;
    const { promise: changed, resolve: handleChange } = Promise.withResolvers<true>();
    onDone = () => {
      if (before === undefined || hasChanged()) handleChange(true);
    };
    const timeoutMs = before === undefined ? CHANGE_TIMEOUT_MS : REPORT_TIMEOUT_MS;
    return Promise.race([changed, sleep(timeoutMs, false)]);
  }
  /**
   * Changes the text, and waits until the program reports it. What arrives until the compositor has handled the change
   * was sent before it. Returns false if the change is lost: compositors drop a commit whose serial is older than their
   * last event.
   */
  async function change(act: () => void | Promise<void>): Promise<boolean> {
    await connection.sync();
    if (!isActive) throw new Refusal('device.focus_moved', FOCUS_MOVED_MESSAGE);
    const serialBefore = serial;
    let [before, countBefore, isStale] = [report, activationCount, false];
    const acting = act();
    // Handled together with the change, before the program gets it.
    const handled = connection.sync(() => {
      [before, countBefore, isStale] = [report, activationCount, serial !== serialBefore];
    });
    await Promise.all([acting, handled]);
    const hasChanged = await waitForChange(before, countBefore);
    return hasChanged || before === undefined || !isStale;
  }
  /** @throws Refusal if the program's own changes make the compositor drop the text each time. */
  async function insertPiece(piece: string): Promise<void> {
    function commit(): void {
      inputMethod.send('commit_string', piece);
      inputMethod.send('commit', serial);
    }
    for (let attempt = 0; attempt < INSERT_ATTEMPTS; attempt++) if (await change(commit)) return;
    throw new Refusal('device.focus_moved', FIELD_CHANGES_MESSAGE);
  }
  return {
    insert: async (text) => {
      for (const piece of splitByBytes(text, MAX_COMMIT_BYTES)) await insertPiece(piece);
    },
    pressKeys: async (press) => void (await change(press)),
    [Symbol.dispose]: () => inputMethod.send('destroy'),
  };
}
