import { notices } from '#platform/web/app/notices.ts';
import { copyText } from '#platform/web/browser/clipboard.ts';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import { createListeners } from '#platform/web/store.ts';
import type { Slot } from '../domain/slot.ts';
import { readClipping, writeDays, writeSlots, type ClipboardContent } from '../domain/slotClipboard.ts';

/** The last text that was copied on this page, for browsers that don't allow reading their clipboard. */
let own: string | undefined;
const listeners = createListeners();

const TOO_MUCH = 'This is too much to copy at once. Copy fewer slots';
const NOTHING = 'The clipboard has no slot or day. Copy one first';
const UNREAD = 'The browser blocked access to the clipboard. Press Ctrl+V to paste';
const UNREAD_HTTP = 'Nothing was copied on this page. Press Ctrl+V to paste from elsewhere, or use https';

const put = async (text: string | undefined, what: string): Promise<void> => {
  if (text === undefined) {
    notices.add('bad', TOO_MUCH);
    return;
  }
  own = text;
  listeners.notify();
  // If the browser refuses, the page's own copy is used.
  await copyText(text);
  notices.add('good', what);
};

/** Reads the browser's clipboard; undefined if that is not possible. */
const readOwn = async (): Promise<string | undefined> => {
  // Without a secure context there is no clipboard object, whatever its type says.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (!isSecureContext() || typeof clipboard?.readText !== 'function') return undefined;
  return clipboard.readText().catch(() => undefined); // Not allowed: use the page's own clipboard.
};

export const clip = {
  copySlot: (slot: Slot, title: string): Promise<void> => put(writeSlots([slot]), `Copied ${title}`),
  copyDay: (slots: readonly Slot[], weekday: string): Promise<void> => put(writeDays([slots]), `Copied ${weekday}`),
  /** Returns the content of the clipboard; shows a notice if there is nothing to paste. */
  read: async (): Promise<ClipboardContent | undefined> => {
    const theirs = await readOwn();
    const text = theirs ?? own;
    if (text === undefined) notices.add('bad', isSecureContext() ? UNREAD : UNREAD_HTTP);
    return text === undefined ? undefined : clip.parse(text);
  },
  /** Parses slots from a text; shows a notice if there are none. */
  parse: (text: string): ClipboardContent | undefined => {
    const clipping = readClipping(text);
    if (!clipping) notices.add('bad', NOTHING);
    return clipping;
  },
  /** Whether something was copied on this page. */
  hasOwn: (): boolean => own !== undefined,
  subscribe: listeners.subscribe,
};
