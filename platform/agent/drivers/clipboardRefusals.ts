// What the clipboards of several desktops refuse.
import { Refusal } from '#platform/contract/refusal.ts';

/** The agent reads no longer texts. */
export const MAX_CLIPBOARD_BYTES = 1024 * 1024;

export function createOwnerTimeoutRefusal(): Refusal {
  return new Refusal(
    'clipboard.owner_no_response',
    'The program that owns the clipboard of that computer is not responding. Copy the text on that computer again',
  );
}

export function createTooLargeRefusal(): Refusal {
  return new Refusal(
    'clipboard.too_large',
    'The clipboard of that computer has more than 1 MiB of text. Copy less on that computer',
  );
}
