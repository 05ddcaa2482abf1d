import { Refusal } from '#platform/contract/refusal.ts';
import { parseShortcut, writeShortcut, keyNamed, type KeyName } from '../../domain/keys.ts';

/** Returns the keys of a shortcut for people ('Ctrl', 'T'); undefined if the text is no valid shortcut. */
export function formatKeys(text: string): readonly string[] | undefined {
  try {
    return parseShortcut(text).map((key) => (key.length === 1 ? key.toUpperCase() : key));
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Values of `KeyboardEvent.code` that differ from our names by more than a prefix. */
const keyByCode: Readonly<Record<string, KeyName>> = {
  Escape: 'Esc',
  Delete: 'Del',
  ArrowLeft: 'Left',
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  ArrowRight: 'Right',
  NumpadEnter: 'Enter',
  MediaPlayPause: 'Play',
  MediaTrackNext: 'Next',
  MediaTrackPrevious: 'Previous',
  AudioVolumeMute: 'Mute',
  AudioVolumeUp: 'VolumeUp',
  AudioVolumeDown: 'VolumeDown',
};

interface PressedKeys {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/**
 * Returns the shortcut string of a chord on a real keyboard; undefined without Ctrl, Alt or Gui, or for an unknown key.
 * Letters are taken from `key`, or from `code` if Alt has changed them.
 */
export function chordPressed({ key, code, ctrlKey, metaKey, altKey, shiftKey }: PressedKeys): string | undefined {
  if (!ctrlKey && !metaKey && !altKey) return undefined;
  const name = keyNamed(key) ?? keyByCode[code] ?? keyNamed(code.replace(/^(Key|Digit)/, ''));
  if (name === undefined || ['Ctrl', 'Alt', 'Shift', 'Gui'].includes(name)) return undefined;
  const modifiers: KeyName[] = [];
  if (ctrlKey) modifiers.push('Ctrl');
  if (metaKey) modifiers.push('Gui');
  if (altKey) modifiers.push('Alt');
  if (shiftKey) modifiers.push('Shift');
  return writeShortcut([...modifiers, name]);
}
