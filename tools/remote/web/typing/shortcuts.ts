import { Refusal } from '#platform/contract/refusal.ts';
import { findKey, formatKey, formatShortcut, isModifier, parseShortcut, type KeyName } from '../../domain/keys.ts';

/** Lists the keys of a shortcut as users read them ('Ctrl', 'T'); undefined if the text is no valid shortcut. */
export function listKeyLabels(text: string): readonly string[] | undefined {
  try {
    return parseShortcut(text).map(formatKey);
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
export function formatPressedShortcut(keys: PressedKeys): string | undefined {
  const { key, code, ctrlKey, metaKey, altKey, shiftKey } = keys;
  if (!ctrlKey && !metaKey && !altKey) return undefined;
  const name = findKey(key) ?? keyByCode[code] ?? findKey(code.replace(/^(Key|Digit)/, ''));
  if (name === undefined || isModifier(name)) return undefined;
  const modifiers: KeyName[] = [];
  if (ctrlKey) modifiers.push('Ctrl');
  if (metaKey) modifiers.push('Gui');
  if (altKey) modifiers.push('Alt');
  if (shiftKey) modifiers.push('Shift');
  return formatShortcut([...modifiers, name]);
}
