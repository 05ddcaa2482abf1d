import { Refusal } from '#platform/contract/refusal.ts';
import { parseShortcut, writeShortcut, keyNamed, type KeyName } from '../../domain/keys.ts';

/** The keys of a shortcut as people read them ('Ctrl', 'T'), or undefined where the text is none that can be read. */
export function writtenKeys(text: string): readonly string[] | undefined {
  try {
    return parseShortcut(text).map((key) => (key.length === 1 ? key.toUpperCase() : key));
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Names of `KeyboardEvent.code` that are not ours with a word in front. */
const byCode: Readonly<Record<string, KeyName>> = {
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
 * The shortcut string of a chord pressed on a real keyboard, or undefined where it is none: no Ctrl, Alt or Gui held, or a key that we have not.
 * Letters go by what is printed on the key (`key`), unless Alt has turned them into something else (then `code`).
 */
export function chordPressed({ key, code, ctrlKey, metaKey, altKey, shiftKey }: PressedKeys): string | undefined {
  if (!ctrlKey && !metaKey && !altKey) return undefined;
  const name = keyNamed(key) ?? byCode[code] ?? keyNamed(code.replace(/^(Key|Digit)/, ''));
  if (name === undefined || ['Ctrl', 'Alt', 'Shift', 'Gui'].includes(name)) return undefined;
  const modifiers: KeyName[] = [];
  if (ctrlKey) modifiers.push('Ctrl');
  if (metaKey) modifiers.push('Gui');
  if (altKey) modifiers.push('Alt');
  if (shiftKey) modifiers.push('Shift');
  return writeShortcut([...modifiers, name]);
}
