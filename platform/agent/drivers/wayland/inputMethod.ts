import type { WaylandConnection, WaylandObject } from './connection.ts';

/** A program with a focused text field answers sooner. */
const ACTIVATION_TIMEOUT_MS = 100;
/** How long a program may take to report its text after a change. */
const CHANGE_TIMEOUT_MS = 50;
/** A Wayland message has at most 4096 bytes. */
const MAX_COMMIT_BYTES = 3900;

/** A text field that takes whole texts. */
export interface TextField extends Disposable {
  /** Inserts a text. @throws if the field has lost the focus. */
  readonly insert: (text: string) => Promise<void>;
  /** Resolves when the program has reported that its text changed, or does not report it. */
  readonly waitForChange: () => Promise<void>;
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
  connection: WaylandConnection,
  seat: WaylandObject<'wl_seat'>,
  manager: WaylandObject<'zwp_input_method_manager_v2'>,
): Promise<TextField | undefined> {
  /** The number of `done` events, by which the compositor recognises outdated requests. */
  let serial = 0;
  let isActive = false;
  let onDone: (() => void) | undefined;
  const { promise: activated, resolve } = Promise.withResolvers<boolean>();
  const inputMethod = connection.create('zwp_input_method_v2', {
    activate: () => {
      isActive = true;
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
  /** Waits for the program's answer to a change, after which the serial is another one. */
  const waitForChange = (): Promise<void> =>
    new Promise((done) => {
      const timer = setTimeout(done, CHANGE_TIMEOUT_MS);
      onDone = () => {
        clearTimeout(timer);
        done();
      };
    });
  return {
    insert: async (text) => {
      for (const piece of splitByBytes(text, MAX_COMMIT_BYTES)) {
        if (!isActive) throw new Error('the text field has lost the focus');
        inputMethod.send('commit_string', piece);
        inputMethod.send('commit', serial);
        await waitForChange();
      }
    },
    waitForChange,
    [Symbol.dispose]: () => inputMethod.send('destroy'),
  };
}
