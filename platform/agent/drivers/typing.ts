// Constants and helpers that the keyboards of all desktops share.
import { Refusal } from '#platform/contract/refusal.ts';

/** How long a fast typist holds a shortcut. Programs that poll the keyboard (games, menus) miss shorter ones. */
export const SHORTCUT_HOLD_MS = 20;
/** Keys whose purpose is to change the locks. */
export const LOCK_KEYS: ReadonlySet<string> = new Set(['CapsLock', 'NumLock', 'ScrollLock']);
export const MODIFIER_KEYS = ['Ctrl', 'Gui', 'Alt', 'Shift', 'AltGr'] as const;

/** The text may differ from the request, as someone or something changed the keyboard meanwhile. */
export const LAYOUT_CHANGED_MESSAGE =
  'The keyboard layout of that computer changed during typing. Check the text there';
export const FOCUS_MOVED_MESSAGE = 'Another window took the focus on that computer during typing. Check the text there';
export const CAPS_LOCK_MESSAGE =
  "Caps Lock is on at that computer, and the agent can't switch it off. Switch it off there, then send the text again";
export const NO_FOCUS_MESSAGE = 'No window on that computer has the keyboard focus. Click into one, then send it again';

/** Converts to code points; the line breaks of all systems become one press of Return. */
export function toCodePoints(text: string): readonly number[] {
  return Array.from(text.replaceAll(/\r\n?/g, '\n'), (character) => character.codePointAt(0) ?? 0);
}

export function createNoSuchKeyRefusal(key: string): Refusal {
  return new Refusal(
    'device.no_such_key',
    `The keyboard of that computer has no key '${key.slice(0, 20)}'. Choose another one`,
  );
}

export function createReservedShortcutRefusal(keys: readonly string[]): Refusal {
  return new Refusal(
    'device.reserved_shortcut',
    `${keys.join('-')} is reserved by the system of that computer and can't be sent`,
  );
}
