import { notices } from '#platform/web/app/notices.ts';
import { copyText } from '#platform/web/browser/copyText.ts';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import { createListeners } from '#platform/web/store.ts';
import type { Slot } from '../domain/slot.ts';
import { parseClipboard, serializeDays, serializeSlots, type ClipboardContent } from '../domain/slotClipboard.ts';

/** The last text that was copied on this page, for browsers that don't allow reading their clipboard. */
let pageCopy: string | undefined;
const listeners = createListeners();

const TOO_LARGE_MESSAGE = 'This is too much to copy at once. Copy fewer slots';
const NOTHING_TO_PASTE_MESSAGE = 'The clipboard has no slot or day. Copy one first';
const BLOCKED_MESSAGE = 'The browser blocked access to the clipboard. Press Ctrl+V to paste';
const BLOCKED_OVER_HTTP_MESSAGE = 'Nothing was copied on this page. Press Ctrl+V to paste from elsewhere, or use https';

async function copy(text: string | undefined, message: string): Promise<void> {
  if (text === undefined) {
    notices.add('bad', TOO_LARGE_MESSAGE);
    return;
  }
  pageCopy = text;
  listeners.notify();
  // If the browser refuses, the page's own copy is used.
  await copyText(text);
  notices.add('good', message);
}

/** Reads the browser's clipboard; undefined if that is not possible. */
async function readSystemClipboard(): Promise<string | undefined> {
  // Without a secure context there is no clipboard object, whatever its type says.
  const systemClipboard = navigator.clipboard as Clipboard | undefined;
  if (!isSecureContext() || typeof systemClipboard?.readText !== 'function') return undefined;
  return systemClipboard.readText().catch(() => undefined); // Not allowed: use the page's own clipboard.
}

export const clipboard = {
  copySlot: (slot: Slot, title: string): Promise<void> => copy(serializeSlots([slot]), `Copied ${title}`),
  copyDay: (slots: readonly Slot[], weekday: string): Promise<void> =>
    copy(serializeDays([slots]), `Copied ${weekday}`),
  /** Returns the content of the clipboard; shows a notice if there is nothing to paste. */
  read: async (): Promise<ClipboardContent | undefined> => {
    const systemText = await readSystemClipboard();
    const text = systemText ?? pageCopy;
    if (text === undefined) notices.add('bad', isSecureContext() ? BLOCKED_MESSAGE : BLOCKED_OVER_HTTP_MESSAGE);
    return text === undefined ? undefined : clipboard.parse(text);
  },
  /** Parses slots from a text; shows a notice if there are none. */
  parse: (text: string): ClipboardContent | undefined => {
    const content = parseClipboard(text);
    if (!content) notices.add('bad', NOTHING_TO_PASTE_MESSAGE);
    return content;
  },
  /** Whether something was copied on this page. */
  hasPageCopy: (): boolean => pageCopy !== undefined,
  subscribe: listeners.subscribe,
};
