import { notices } from '#platform/web/app/notices.ts';
import { copyText } from '#platform/web/browser/clipboard.ts';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import type { Slot } from '../domain/slot.ts';
import { readClipping, writeDays, writeSlots, type ClipboardContent } from '../domain/slotClipboard.ts';

/** What was copied on this page last: for browsers that do not let their clipboard be read. */
let own: string | undefined;
const listeners = new Set<() => void>();

const TOO_MUCH = 'This is more than can be copied at once';
const NOTHING = 'There is no slot and no day on the clipboard';
const UNREAD = 'The browser did not let the clipboard be read. Press Ctrl+V to paste';
const UNREAD_HTTP = 'Nothing was copied on this page. What was copied elsewhere is pasted by Ctrl+V, or over https';

const put = async (text: string | undefined, what: string): Promise<void> => {
  if (text === undefined) {
    notices.add('bad', TOO_MUCH);
    return;
  }
  own = text;
  for (const tell of listeners) tell();
  // Where the browser keeps its clipboard to itself the page's own has it.
  await copyText(text);
  notices.add('good', what);
};

/** What the browser's clipboard holds; undefined where it does not say. */
const readOwn = async (): Promise<string | undefined> => {
  // Without a secure context there is no clipboard at all, whatever the type says.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (!isSecureContext() || typeof clipboard?.readText !== 'function') return undefined;
  return clipboard.readText().catch(() => undefined); // Not allowed: the page's own clipboard stands in.
};

export const clip = {
  copySlot: (slot: Slot, title: string): Promise<void> => put(writeSlots([slot]), `Copied ${title}`),
  copyDay: (slots: readonly Slot[], weekday: string): Promise<void> => put(writeDays([slots]), `Copied ${weekday}`),
  /** What lies on the clipboard; where there is nothing to be pasted it says so. */
  read: async (): Promise<ClipboardContent | undefined> => {
    const theirs = await readOwn();
    const text = theirs ?? own;
    if (text === undefined) notices.add('bad', isSecureContext() ? UNREAD : UNREAD_HTTP);
    return text === undefined ? undefined : clip.parse(text);
  },
  /** The slots in a text; where there are none it says so. */
  parse: (text: string): ClipboardContent | undefined => {
    const clipping = readClipping(text);
    if (!clipping) notices.add('bad', NOTHING);
    return clipping;
  },
  /** Whether something was copied on this page. */
  hasOwn: (): boolean => own !== undefined,
  subscribe: (tell: () => void): (() => void) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  },
};
