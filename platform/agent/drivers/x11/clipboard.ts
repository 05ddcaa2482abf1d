import x11, { type XEvent } from 'x11';
import { Refusal } from '#platform/contract/refusal.ts';
import { DisplayLostError } from './display.ts';
import { openSelectionConnection, type SelectionConnection } from './selectionLine.ts';

/** An owner that is silent for so long does not answer. */
const IDLE_TIMEOUT_MS = 2000;
/** One that sends in small parts has so long in all. */
const TOTAL_TIMEOUT_MS = 4000;
const MAX_TEXT_BYTES = 1024 * 1024;
const CURRENT_TIME = 0;
const ANY_TYPE = 0;
const NEW_VALUE = 0;

const createNoAnswerRefusal = (): Refusal =>
  new Refusal('The program that holds the clipboard of that computer does not answer');
const createTooLargeRefusal = (): Refusal =>
  new Refusal('The clipboard of that computer holds more than 1 MiB of text');

interface Property {
  readonly type: number;
  readonly format: number;
  readonly bytesAfter: number;
  readonly data: Buffer;
}

/**
 * The text of the selection CLIPBOARD; '' where nobody has it, or there is none in it.
 * @throws Refusal where its owner does not answer, or holds too much.
 */
export async function readSelection({ display, atoms, addWindow, openInbox }: SelectionConnection): Promise<string> {
  const { x, request } = display;
  if ((await request<number>((done) => x.GetSelectionOwner(atoms.CLIPBOARD, done))) === 0) return '';
  const property = atoms.PEGBOARD_CLIPBOARD;
  // One window for each reading: what an owner sends too late finds none.
  const window = addWindow();
  using inbox = openInbox(
    ({ name, requestor, wid, atom, state }) =>
      (name === 'SelectionNotify' && requestor === window) ||
      (name === 'PropertyNotify' && wid === window && atom === property && state === NEW_VALUE),
  );
  const end = performance.now() + TOTAL_TIMEOUT_MS;
  const next = () => inbox.next(Math.max(0, Math.min(IDLE_TIMEOUT_MS, end - performance.now())), createNoAnswerRefusal);

  /** What was put into the property, which is removed: an owner that sends in parts takes that as asking for the next one. */
  const take = async (): Promise<Property> => {
    const found = await request<Property>((done) =>
      x.GetProperty(1, window, property, ANY_TYPE, 0, MAX_TEXT_BYTES / 4, done),
    );
    if (found.bytesAfter > 0) throw createTooLargeRefusal();
    return found;
  };
  /** The same in parts, to the empty one. */
  const takeParts = async (): Promise<Property> => {
    const parts: Buffer[] = [];
    for (let length = 0; length <= MAX_TEXT_BYTES;) {
      while ((await next()).name !== 'PropertyNotify');
      const part = await take();
      if (part.data.length === 0) return { ...part, data: Buffer.concat(parts) };
      parts.push(part.data);
      length += part.data.length;
    }
    throw createTooLargeRefusal();
  };
  const textOf = ({ type, format, data }: Property): string | undefined => {
    if (format !== 8) return undefined;
    // Some end it as their language does.
    const bytes = data.at(-1) === 0 ? data.subarray(0, -1) : data;
    if (type === atoms.STRING) return bytes.toString('latin1');
    return type === atoms.UTF8_STRING || type === atoms['text/plain;charset=utf-8']
      ? bytes.toString('utf8')
      : undefined;
  };
  /** Undefined where the owner has nothing of that kind. */
  const convert = async (target: number): Promise<string | undefined> => {
    x.ConvertSelection(window, atoms.CLIPBOARD, target, property, CURRENT_TIME);
    for (;;) {
      const event = await next();
      if (event.name !== 'SelectionNotify' || event.target !== target) continue;
      if (event.property === 0) return undefined;
      const found = await take();
      return textOf(found.type === atoms.INCR ? await takeParts() : found);
    }
  };

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

/** Sent at once; a longer text goes in parts. X servers take four times as much in one request. */
const CHUNK_BYTES = 64 * 1024;
/** Whoever does not fetch the next part by then is gone. */
const CHUNK_TIMEOUT_MS = 10_000;
const TIMESTAMP_TIMEOUT_MS = 2000;
const DELETED = 1;
const SELECTION_NOTIFY = 31;
const NOT_ACQUIRED_MESSAGE = 'Another program keeps the clipboard of that computer';

/** A text on its way in parts. */
interface Transfer {
  readonly type: number;
  readonly rest: Buffer;
  readonly timer: NodeJS.Timeout;
}

/** Holds the selection CLIPBOARD and gives its text to whoever asks. */
export interface SelectionOwner {
  /** @throws Refusal where the clipboard was not to be had. */
  readonly write: (text: string) => Promise<void>;
  /** What it holds; undefined where another program has taken the clipboard since. */
  readonly getText: () => Promise<string | undefined>;
  readonly close: () => void;
}

/** Every character that Latin-1 has; the others become question marks. */
const latin1 = (text: string): Buffer =>
  Buffer.from(
    Array.from(text, (character) => ((character.codePointAt(0) ?? 0) > 0xff ? '?' : character)).join(''),
    'latin1',
  );

export function createSelectionOwner(line: SelectionConnection): SelectionOwner {
  const { display, atoms } = line;
  const { x, request } = display;
  const window = line.addWindow();
  const transfers = new Map<string, Transfer>();
  let held: { readonly text: string; readonly time: number } | undefined;

  const currentOwner = (): Promise<number> => request<number>((done) => x.GetSelectionOwner(atoms.CLIPBOARD, done));
  /** The X server's own time, at which the clipboard is taken: of two that take it at once the later one has it. */
  const now = async (): Promise<number> => {
    using inbox = line.openInbox(({ name, wid }) => name === 'PropertyNotify' && wid === window);
    x.ChangeProperty(2, window, atoms.PEGBOARD_CLIPBOARD, atoms.STRING, 8, Buffer.alloc(0));
    return (await inbox.next(TIMESTAMP_TIMEOUT_MS, () => new Refusal(NOT_ACQUIRED_MESSAGE))).time;
  };

  const put = (requestor: number, property: number, type: number, bytes: Buffer): void =>
    x.ChangeProperty(0, requestor, property, type, 8, bytes);
  const forget = (key: string): void => {
    clearTimeout(transfers.get(key)?.timer);
    transfers.delete(key);
  };
  const keepOn = (key: string, type: number, rest: Buffer): void => {
    forget(key);
    transfers.set(key, { type, rest, timer: setTimeout(() => transfers.delete(key), CHUNK_TIMEOUT_MS).unref() });
  };
  const giveBytes = (requestor: number, property: number, type: number, bytes: Buffer): void => {
    if (bytes.length <= CHUNK_BYTES) {
      put(requestor, property, type, bytes);
      return;
    }
    x.ChangeWindowAttributes(requestor, { eventMask: x11.eventMask.PropertyChange });
    keepOn(`${requestor} ${property}`, type, bytes);
    x.ChangeProperty(0, requestor, property, atoms.INCR, 32, [bytes.length]);
  };
  /** The receiver has removed the part before: that asks for the next one; an empty one ends it. */
  const giveNext = ({ wid, atom }: XEvent): void => {
    const key = `${wid} ${atom}`;
    const transfer = transfers.get(key);
    if (!transfer) return;
    put(wid, atom, transfer.type, transfer.rest.subarray(0, CHUNK_BYTES));
    if (transfer.rest.length === 0) forget(key);
    else keepOn(key, transfer.type, transfer.rest.subarray(CHUNK_BYTES));
  };

  /** Puts what is asked for into the asker's property; false where there is no such thing. */
  const give = (requestor: number, target: number, property: number): boolean => {
    if (!held) return false;
    const { text, time } = held;
    switch (target) {
      case atoms.TARGETS:
        x.ChangeProperty(0, requestor, property, atoms.ATOM, 32, [
          atoms.TARGETS,
          atoms.MULTIPLE,
          atoms.TIMESTAMP,
          atoms.UTF8_STRING,
          atoms['text/plain;charset=utf-8'],
          atoms.TEXT,
          atoms.STRING,
        ]);
        return true;
      case atoms.TIMESTAMP:
        x.ChangeProperty(0, requestor, property, atoms.INTEGER, 32, [time]);
        return true;
      case atoms.UTF8_STRING:
      case atoms['text/plain;charset=utf-8']:
        giveBytes(requestor, property, target, Buffer.from(text, 'utf8'));
        return true;
      case atoms.TEXT:
        giveBytes(requestor, property, atoms.UTF8_STRING, Buffer.from(text, 'utf8'));
        return true;
      case atoms.STRING:
        giveBytes(requestor, property, atoms.STRING, latin1(text));
        return true;
      default:
        return false;
    }
  };
  /** Several at once, as pairs of target and property; what is not to be had is struck out. */
  const giveMultiple = async (requestor: number, property: number): Promise<boolean> => {
    const { data, format } = await request<{ readonly data: Buffer; readonly format: number }>((done) =>
      x.GetProperty(0, requestor, property, atoms.ATOM_PAIR, 0, 256, done),
    );
    if (format !== 32) return false;
    const pairs = Array.from({ length: Math.floor(data.length / 4) }, (_, at) => data.readUInt32LE(at * 4));
    for (let at = 0; at + 1 < pairs.length; at += 2)
      if (!give(requestor, pairs[at] ?? 0, pairs[at + 1] ?? 0)) pairs[at + 1] = 0;
    x.ChangeProperty(0, requestor, property, atoms.ATOM_PAIR, 32, pairs);
    return true;
  };
  const answer = async ({ time, requestor, selection, target, property: asked }: XEvent): Promise<void> => {
    // Askers of old leave the property out and mean the target's name.
    const property = asked === 0 ? target : asked;
    const isGiven =
      target === atoms.MULTIPLE ? await giveMultiple(requestor, property) : give(requestor, target, property);
    x.SendEvent(requestor, 0, 0, {
      name: 'SelectionNotify',
      type: SELECTION_NOTIFY,
      time,
      requestor,
      selection,
      target,
      property: isGiven ? property : 0,
    });
  };

  line.onEvent((event) => {
    if (event.name === 'SelectionRequest' && event.owner === window) {
      answer(event).catch(() => undefined); // whoever asked went away
    } else if (event.name === 'SelectionClear' && event.owner === window) held = undefined;
    else if (event.name === 'PropertyNotify' && event.state === DELETED) giveNext(event);
  });

  return {
    write: async (text) => {
      const time = await now();
      held = { text, time };
      x.SetSelectionOwner(window, atoms.CLIPBOARD, time);
      if ((await currentOwner()) !== window) throw new Refusal(NOT_ACQUIRED_MESSAGE);
    },
    // Asked of the X server: that another program took it may not have been told yet.
    getText: async () => ((await currentOwner()) === window ? held?.text : undefined),
    close: () => {
      for (const key of transfers.keys()) forget(key);
    },
  };
}

const DISPLAY_GONE_MESSAGE = 'The display of that computer went away; try again in a moment';

/** The clipboard of one X display. */
export interface XClipboard extends AsyncDisposable {
  /** @throws Refusal where its owner does not answer or holds too much, or the display went away. */
  readonly read: () => Promise<string>;
  /** Another program has the text as long as this one lives and nobody else takes the clipboard. @throws Refusal */
  readonly write: (text: string) => Promise<void>;
}

interface OpenSelection {
  readonly line: SelectionConnection;
  readonly owner: SelectionOwner;
}

/** Connects at the first use: most computers' owners never allow it. */
export function openXClipboard(display: string): XClipboard {
  let opening: Promise<OpenSelection> | undefined;
  const open = async (): Promise<OpenSelection> => {
    const line = await openSelectionConnection(display);
    const owner = createSelectionOwner(line);
    line.display.onClosed(() => {
      owner.close();
      opening = undefined;
    });
    return { line, owner };
  };
  const opened = (): Promise<OpenSelection> => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const within = async <T>(use: (one: OpenSelection) => Promise<T>): Promise<T> => {
    try {
      return await use(await opened());
    } catch (cause) {
      throw cause instanceof DisplayLostError ? new Refusal(DISPLAY_GONE_MESSAGE, { cause }) : cause;
    }
  };
  return {
    // What it holds itself it need not ask for.
    read: () => within(async ({ line, owner }) => (await owner.getText()) ?? readSelection(line)),
    write: (text) => within(({ owner }) => owner.write(text)),
    [Symbol.asyncDispose]: async () => {
      const one = await opening?.catch(() => undefined);
      opening = undefined;
      await one?.line[Symbol.asyncDispose]();
    },
  };
}
