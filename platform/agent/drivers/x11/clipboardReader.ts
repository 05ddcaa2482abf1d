import { Refusal } from '#platform/contract/refusal.ts';
import type { SelectionConnection } from './selectionLine.ts';

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
export const readSelection = async ({ display, atoms, addWindow, openInbox }: SelectionConnection): Promise<string> => {
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
};
