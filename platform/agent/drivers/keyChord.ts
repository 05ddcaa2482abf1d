import type { KeyChord } from './drivers.ts';

/** Formats a chord for people: 'Ctrl-Alt-M'. */
export function formatChord({ modifiers, key }: KeyChord): string {
  return [...modifiers, modifiers.length > 0 && Array.from(key).length === 1 ? key.toUpperCase() : key].join('-');
}
