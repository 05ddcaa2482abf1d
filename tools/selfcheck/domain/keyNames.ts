/** The part of a browser's keyboard event that names the key. */
export interface PressedKey {
  readonly key: string;
  /** Physical key on a US keyboard. */
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

const NAME_BY_KEY: Readonly<Record<string, string>> = {
  Escape: 'Esc',
  Delete: 'Del',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
  ArrowUp: 'Up',
  ArrowDown: 'Down',
};
const MODIFIER_KEYS = new Set(['Control', 'Meta', 'Alt', 'Shift', 'AltGraph', 'CapsLock']);

export function isModifierKey({ key }: Pick<PressedKey, 'key'>): boolean {
  return MODIFIER_KEYS.has(key);
}

/** Returns the name of a letter. A layout without Latin letters has them at the places of a US keyboard. */
function getLetter({ key, code }: PressedKey): string | undefined {
  if (/^[a-z]$/i.test(key)) return key.toLowerCase();
  return /^\p{ASCII}*$/u.test(key) ? undefined : /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase();
}

/** Formats a chord in the agent's names: 'Ctrl+Shift+Right'. */
export function formatChord(chord: readonly string[]): string {
  return chord.join('+');
}

/** Formats a pressed key with its modifiers in the agent's names and order. */
export function formatPressedKey(event: PressedKey): string {
  const modifiers = [
    ...(event.ctrlKey ? ['Ctrl'] : []),
    ...(event.metaKey ? ['Gui'] : []),
    ...(event.altKey ? ['Alt'] : []),
    ...(event.shiftKey ? ['Shift'] : []),
  ];
  return formatChord([...modifiers, getLetter(event) ?? NAME_BY_KEY[event.key] ?? event.key]);
}
