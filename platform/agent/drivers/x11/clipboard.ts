import x11, { type XEvent } from 'x11';
import { Refusal } from '#platform/contract/refusal.ts';
import { createOwnerTimeoutRefusal, createTooLargeRefusal, MAX_CLIPBOARD_BYTES } from '../clipboardRefusals.ts';
import { DisplayLostError, parseCardinals } from './display.ts';
import { openSelectionConnection, type SelectionConnection } from './selectionConnection.ts';

/** An owner that sends nothing for this long does not answer. */
const IDLE_TIMEOUT_MS = 2000;
/** Total time for an owner that sends in chunks. */
const TOTAL_TIMEOUT_MS = 4000;
const CURRENT_TIME = 0;
const ANY_TYPE = 0;
const NEW_VALUE = 0;

interface Property {
  readonly type: number;
  readonly format: number;
  readonly bytesAfter: number;
  readonly data: Buffer;
}

/**
 * Reads the text of the selection CLIPBOARD; '' if it has no owner or no text.
 * @throws Refusal if the owner does not answer, or the text is too large.
 */
export async function readSelection({ display, atoms, addWindow, openInbox }: SelectionConnection): Promise<string> {
  const { x, request } = display;
  if ((await request<number>((done) => x.GetSelectionOwner(atoms.CLIPBOARD, done))) === 0) return '';
  const property = atoms.PEGBOARD_CLIPBOARD;
  // Each read has its own window, so that a late answer of an owner finds none.
  const window = addWindow();
  using inbox = openInbox(
    ({ name, requestor, wid, atom, state }) =>
      (name === 'SelectionNotify' && requestor === window) ||
      (name === 'PropertyNotify' && wid === window && atom === property && state === NEW_VALUE),
  );
  const deadline = performance.now() + TOTAL_TIMEOUT_MS;
  const waitForEvent = () =>
    inbox.next(Math.max(0, Math.min(IDLE_TIMEOUT_MS, deadline - performance.now())), createOwnerTimeoutRefusal);

  /** Reads and deletes the property. The deletion asks an owner that sends in chunks for the next one. */
  async function takeProperty(): Promise<Property> {
    const value = await request<Property>((done) =>
      x.GetProperty(1, window, property, ANY_TYPE, 0, MAX_CLIPBOARD_BYTES / 4, done),
    );
    if (value.bytesAfter > 0) throw createTooLargeRefusal();
    return value;
  }
  /** Reads chunks until the empty one. */
  async function takeChunks(): Promise<Property> {
    const chunks: Buffer[] = [];
    for (let length = 0; length <= MAX_CLIPBOARD_BYTES;) {
      while ((await waitForEvent()).name !== 'PropertyNotify');
      const chunk = await takeProperty();
      if (chunk.data.length === 0) return { ...chunk, data: Buffer.concat(chunks) };
      chunks.push(chunk.data);
      length += chunk.data.length;
    }
    throw createTooLargeRefusal();
  }
  function decodeText({ type, format, data }: Property): string | undefined {
    if (format !== 8) return undefined;
    // Some programs append a NUL character.
    const bytes = data.at(-1) === 0 ? data.subarray(0, -1) : data;
    if (type === atoms.STRING) return bytes.toString('latin1');
    return type === atoms.UTF8_STRING || type === atoms['text/plain;charset=utf-8']
      ? bytes.toString('utf8')
      : undefined;
  }
  /** Requests one target type; undefined if the owner does not have it. */
  async function convert(target: number): Promise<string | undefined> {
    x.ConvertSelection(window, atoms.CLIPBOARD, target, property, CURRENT_TIME);
    for (;;) {
      const event = await waitForEvent();
      if (event.name !== 'SelectionNotify' || event.target !== target) continue;
      if (event.property === 0) return undefined;
      const value = await takeProperty();
      return decodeText(value.type === atoms.INCR ? await takeChunks() : value);
    }
  }

  try {
    for (const target of [atoms.UTF8_STRING, atoms['text/plain;charset=utf-8'], atoms.STRING, atoms.TEXT]) {
      const text = await convert(target);
      if (text !== undefined) return text;
    }
    return '';
  } finally {
    x.DestroyWindow(window);
  }
}

/** Longer texts are sent in chunks. X servers accept four times as much in one request. */
const CHUNK_BYTES = 64 * 1024;
/** A receiver that does not fetch the next chunk within this time is considered gone. */
const CHUNK_TIMEOUT_MS = 10_000;
const TIMESTAMP_TIMEOUT_MS = 2000;
const DELETED = 1;
const SELECTION_NOTIFY = 31;
const NOT_ACQUIRED_MESSAGE = 'Another program on that computer is holding its clipboard. Try again';

/** A text that is being sent in chunks. */
interface Transfer {
  readonly type: number;
  readonly rest: Buffer;
  readonly timer: NodeJS.Timeout;
}

/** Owns the selection CLIPBOARD and serves its text to other programs. */
export interface SelectionOwner {
  /**
   * Takes the clipboard.
   * @throws Refusal if another program keeps it.
   */
  readonly write: (text: string) => Promise<void>;
  /** Returns the owned text; undefined if another program has taken the clipboard since. */
  readonly getText: () => Promise<string | undefined>;
  readonly close: () => void;
}

/** Encodes as Latin-1; other characters become question marks. */
const encodeLatin1 = (text: string): Buffer =>
  Buffer.from(
    Array.from(text, (character) => ((character.codePointAt(0) ?? 0) > 0xff ? '?' : character)).join(''),
    'latin1',
  );

export interface SelectionOwnerOptions {
  /** Offers UTF-8 only. Compositors pass on Latin-1 as if it were UTF-8, and some programs prefer it. */
  readonly isUtf8Only?: boolean;
}

export function createSelectionOwner(
  connection: SelectionConnection,
  { isUtf8Only = false }: SelectionOwnerOptions = {},
): SelectionOwner {
  const { display, atoms } = connection;
  const { x, request } = display;
  const window = connection.addWindow();
  const transfers = new Map<string, Transfer>();
  let owned: { readonly text: string; readonly time: number } | undefined;

  const getCurrentOwner = (): Promise<number> => request<number>((done) => x.GetSelectionOwner(atoms.CLIPBOARD, done));
  /** Returns the X server's time for acquiring the selection: of two programs that acquire it, the later time wins. */
  async function getServerTime(): Promise<number> {
    using inbox = connection.openInbox(({ name, wid }) => name === 'PropertyNotify' && wid === window);
    x.ChangeProperty(2, window, atoms.PEGBOARD_CLIPBOARD, atoms.STRING, 8, Buffer.alloc(0));
    return (
      await inbox.next(TIMESTAMP_TIMEOUT_MS, () => new Refusal('clipboard.owned_elsewhere', NOT_ACQUIRED_MESSAGE))
    ).time;
  }

  const writeProperty = (requestor: number, property: number, type: number, bytes: Buffer): void =>
    x.ChangeProperty(0, requestor, property, type, 8, bytes);
  function endTransfer(key: string): void {
    clearTimeout(transfers.get(key)?.timer);
    transfers.delete(key);
  }
  function continueTransfer(key: string, type: number, rest: Buffer): void {
    endTransfer(key);
    transfers.set(key, { type, rest, timer: setTimeout(() => transfers.delete(key), CHUNK_TIMEOUT_MS).unref() });
  }
  function sendText(requestor: number, property: number, type: number, bytes: Buffer): void {
    if (bytes.length <= CHUNK_BYTES) {
      writeProperty(requestor, property, type, bytes);
      return;
    }
    x.ChangeWindowAttributes(requestor, { eventMask: x11.eventMask.PropertyChange });
    continueTransfer(`${requestor} ${property}`, type, bytes);
    x.ChangeProperty(0, requestor, property, atoms.INCR, 32, [bytes.length]);
  }
  /** Sends the next chunk, because the receiver has deleted the last one. An empty chunk ends the transfer. */
  function sendNextChunk({ wid, atom }: XEvent): void {
    const key = `${wid} ${atom}`;
    const transfer = transfers.get(key);
    if (!transfer) return;
    writeProperty(wid, atom, transfer.type, transfer.rest.subarray(0, CHUNK_BYTES));
    if (transfer.rest.length === 0) endTransfer(key);
    else continueTransfer(key, transfer.type, transfer.rest.subarray(CHUNK_BYTES));
  }

  /** Writes the requested target to the requestor's property; returns false for an unknown target. */
  function sendTarget(requestor: number, target: number, property: number): boolean {
    if (!owned) return false;
    const { text, time } = owned;
    switch (target) {
      case atoms.TARGETS:
        x.ChangeProperty(0, requestor, property, atoms.ATOM, 32, [
          atoms.TARGETS,
          atoms.MULTIPLE,
          atoms.TIMESTAMP,
          atoms.UTF8_STRING,
          atoms['text/plain;charset=utf-8'],
          ...(isUtf8Only ? [] : [atoms.TEXT, atoms.STRING]),
        ]);
        return true;
      case atoms.TIMESTAMP:
        x.ChangeProperty(0, requestor, property, atoms.INTEGER, 32, [time]);
        return true;
      case atoms.UTF8_STRING:
      case atoms['text/plain;charset=utf-8']:
        sendText(requestor, property, target, Buffer.from(text, 'utf8'));
        return true;
      case atoms.TEXT:
        sendText(requestor, property, atoms.UTF8_STRING, Buffer.from(text, 'utf8'));
        return true;
      case atoms.STRING:
        sendText(requestor, property, atoms.STRING, encodeLatin1(text));
        return true;
      default:
        return false;
    }
  }
  /** Serves several targets, as pairs of target and property. Targets that are not available are replaced by 0. */
  async function sendMultiple(requestor: number, property: number): Promise<boolean> {
    const { data, format } = await request<{ readonly data: Buffer; readonly format: number }>((done) =>
      x.GetProperty(0, requestor, property, atoms.ATOM_PAIR, 0, 256, done),
    );
    if (format !== 32) return false;
    const pairs = parseCardinals(data);
    for (let index = 0; index + 1 < pairs.length; index += 2)
      if (!sendTarget(requestor, pairs[index] ?? 0, pairs[index + 1] ?? 0)) pairs[index + 1] = 0;
    x.ChangeProperty(0, requestor, property, atoms.ATOM_PAIR, 32, pairs);
    return true;
  }
  async function handleRequest(event: XEvent): Promise<void> {
    const { time, requestor, selection, target } = event;
    // Obsolete clients omit the property and mean the name of the target.
    const property = event.property === 0 ? target : event.property;
    const isSent =
      target === atoms.MULTIPLE ? await sendMultiple(requestor, property) : sendTarget(requestor, target, property);
    x.SendEvent(requestor, 0, 0, {
      name: 'SelectionNotify',
      type: SELECTION_NOTIFY,
      time,
      requestor,
      selection,
      target,
      property: isSent ? property : 0,
    });
  }

  connection.onEvent((event) => {
    if (event.name === 'SelectionRequest' && event.owner === window) {
      handleRequest(event).catch(() => undefined); // the requestor is gone
    } else if (event.name === 'SelectionClear' && event.owner === window) owned = undefined;
    else if (event.name === 'PropertyNotify' && event.state === DELETED) sendNextChunk(event);
  });

  return {
    write: async (text) => {
      const time = await getServerTime();
      owned = { text, time };
      x.SetSelectionOwner(window, atoms.CLIPBOARD, time);
      if ((await getCurrentOwner()) !== window) throw new Refusal('clipboard.owned_elsewhere', NOT_ACQUIRED_MESSAGE);
    },
    // Requested from the X server, because the event about a new owner may not have arrived yet.
    getText: async () => ((await getCurrentOwner()) === window ? owned?.text : undefined),
    close: () => {
      for (const key of transfers.keys()) endTransfer(key);
    },
  };
}

const DISPLAY_GONE_MESSAGE = 'The agent lost the display of that computer. Try again in a moment';

/** The clipboard of one X display. */
export interface XClipboard extends AsyncDisposable {
  /**
   * Reads the text.
   * @throws Refusal if its owner does not answer, the text is too large, or the display is gone.
   */
  readonly read: () => Promise<string>;
  /**
   * Offers the text to other programs while this one runs and no other takes the clipboard.
   * @throws Refusal
   */
  readonly write: (text: string) => Promise<void>;
}

interface OpenSelection {
  readonly connection: SelectionConnection;
  readonly owner: SelectionOwner;
}

/** Creates a clipboard that connects at its first use, because most owners of computers never allow it. */
export function openXClipboard(display: string, options: SelectionOwnerOptions = {}): XClipboard {
  let opening: Promise<OpenSelection> | undefined;
  async function open(): Promise<OpenSelection> {
    const connection = await openSelectionConnection(display);
    const owner = createSelectionOwner(connection, options);
    connection.display.onClosed(() => {
      owner.close();
      opening = undefined;
    });
    return { connection, owner };
  }
  function getSelection(): Promise<OpenSelection> {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  }
  async function withSelection<T>(use: (selection: OpenSelection) => Promise<T>): Promise<T> {
    try {
      return await use(await getSelection());
    } catch (cause) {
      throw cause instanceof DisplayLostError
        ? new Refusal('device.display_lost', DISPLAY_GONE_MESSAGE, { cause })
        : cause;
    }
  }
  return {
    // Our own text need not be requested.
    read: () => withSelection(async ({ connection, owner }) => (await owner.getText()) ?? readSelection(connection)),
    write: (text) => withSelection(({ owner }) => owner.write(text)),
    [Symbol.asyncDispose]: async () => {
      const selection = await opening?.catch(() => undefined);
      opening = undefined;
      await selection?.connection[Symbol.asyncDispose]();
    },
  };
}
