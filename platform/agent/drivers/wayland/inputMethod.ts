import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Refusal } from '#platform/contract/refusal.ts';
import { FOCUS_MOVED_MESSAGE } from '../typing.ts';
import type { WaylandConnection, WaylandObject } from './connection.ts';

/** A program with a focused text field answers sooner, if the computer isn't very busy. */
const ACTIVATION_TIMEOUT_MS = 300;
/** How long a program that reports its text may take to report a change. */
const REPORT_TIMEOUT_MS = 1000;
/** How long to wait for programs that don't report their text. */
const CHANGE_TIMEOUT_MS = 50;
const INSERT_ATTEMPTS = 3;
const FIELD_CHANGES_MESSAGE =
  'A program on that computer changes its text all the time, so a part of yours may be missing. Check the text there';
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

/** What a program reports about its text; the same object until that changes. */
interface TextReport {
  readonly text: string;
  readonly unselectedText: string;
  /** In bytes, as the cursor itself. */
  readonly selection: readonly [number, number];
}

function parseReport(text: string, cursor: number, anchor: number): TextReport {
  const bytes = Buffer.from(text);
  const selection = [Math.min(cursor, anchor), Math.max(cursor, anchor)] as const;
  const unselectedText = bytes.toString('utf8', 0, selection[0]) + bytes.toString('utf8', selection[1]);
  return { text, unselectedText, selection };
}

/** Counts what every field keeps: those of one line leave out newlines. */
const measure = (text: string): number => text.replaceAll(/\s/g, '').length;

/** Returns whether a text can't have got the piece since an earlier report, even if its field changes what it gets. */
function isTooShort(now: TextReport, earlier: TextReport, piece: string): boolean {
  return measure(now.text) - measure(earlier.unselectedText) < measure(piece);
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
  let report: TextReport | undefined;
  let onDone: (() => void) | undefined;
  const { promise: activated, resolve } = Promise.withResolvers<boolean>();
  const inputMethod = connection.create('zwp_input_method_v2', {
    activate: () => {
      isActive = true;
      activationCount += 1;
      report = undefined;
    },
    surrounding_text: (text, cursor, anchor) => {
      const next = parseReport(text, cursor, anchor);
      if (!isDeepStrictEqual(next, report)) report = next;
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
  /** Waits until the program reports what is expected. Returns false if it doesn't within the time. */
  async function waitForReport(isExpected: () => boolean, timeoutMs: number): Promise<boolean> {
    if (isExpected()) return true;
    const { promise: reported, resolve: handleReport } = Promise.withResolvers<true>();
    onDone = () => {
      if (isExpected()) handleReport(true);
    };
    return Promise.race([reported, sleep(timeoutMs, false)]);
  }
  const getState = () => ({ report, isActive, activationCount, serial });
  /** Returns the states before the change, and when the compositor had handled it: what arrived until then is older. */
  async function send(act: () => void | Promise<void>) {
    await connection.sync();
    if (!isActive) throw new Refusal('device.focus_moved', FOCUS_MOVED_MESSAGE);
    const before = getState();
    let handled = before;
    const acting = act();
    // Handled together with the change, before the program gets it.
    await Promise.all([acting, connection.sync(() => void (handled = getState()))]);
    return { before, handled };
  }
  /** Waits until the program reports another text, or for a moment if it doesn't report its text. */
  async function waitForChange(handled: ReturnType<typeof getState>): Promise<void> {
    const hasChanged = (): boolean => report !== handled.report || activationCount !== handled.activationCount;
    if (handled.report) await waitForReport(hasChanged, REPORT_TIMEOUT_MS);
    else await waitForReport(() => serial !== handled.serial, CHANGE_TIMEOUT_MS);
  }
  /**
   * Returns false if the piece is lost: compositors on wlroots 0.17.1 and later drop a commit whose serial is older
   * than their last event. Earlier ones apply it.
   * @throws Refusal if the focus has moved, or no report shows whether the piece is there.
   */
  async function tryToInsert(piece: string): Promise<boolean> {
    const { before, handled } = await send(() => {
      inputMethod.send('commit_string', piece);
      inputMethod.send('commit', serial);
    });
    const hasMoved = (now = getState()): boolean => !now.isActive || now.activationCount !== before.activationCount;
    if (hasMoved(handled)) throw new Refusal('device.focus_moved', FOCUS_MOVED_MESSAGE);
    // Programs that don't report their text, such as terminals, hardly change it at the same time.
    if (handled.serial === before.serial || !handled.report) {
      await waitForChange(handled);
      return true;
    }
    const count = (text = ''): number => text.split(piece).length;
    const textBefore = (before.report ?? handled.report).unselectedText;
    const isInserted = (): boolean => count(report?.text) > count(textBefore);
    await waitForReport(() => isInserted() || hasMoved(), REPORT_TIMEOUT_MS);
    if (isInserted()) return true;
    if (hasMoved()) throw new Refusal('device.focus_moved', FOCUS_MOVED_MESSAGE);
    if (report && report !== handled.report && isTooShort(report, handled.report, piece)) return false;
    throw new Refusal('device.text_changing', FIELD_CHANGES_MESSAGE);
  }
  /** @throws Refusal if the program's own changes make the compositor drop the text each time. */
  async function insertPiece(piece: string): Promise<void> {
    for (let attempt = 0; attempt < INSERT_ATTEMPTS; attempt++) if (await tryToInsert(piece)) return;
    throw new Refusal('device.text_changing', FIELD_CHANGES_MESSAGE);
  }
  return {
    insert: async (text) => {
      for (const piece of splitByBytes(text, MAX_COMMIT_BYTES)) await insertPiece(piece);
    },
    pressKeys: async (press) => waitForChange((await send(press)).handled),
    [Symbol.dispose]: () => inputMethod.send('destroy'),
  };
}
