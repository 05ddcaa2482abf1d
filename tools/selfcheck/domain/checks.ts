import { sampleTexts } from './sampleTexts.ts';

/** Keys of one shortcut, in the agent's names. */
export type Chord = readonly string[];

export interface TextCheck {
  readonly kind: 'text';
  readonly label: string;
  /** Each is typed on its own; together they are the expected text. */
  readonly parts: readonly string[];
}
export interface KeyCheck {
  readonly kind: 'keys';
  readonly label: string;
  readonly chords: readonly Chord[];
}
/** The other checks. Each exists once. */
export interface SpecialCheck {
  readonly kind: 'window' | 'move' | 'click' | 'wheel' | 'paste' | 'copy' | 'sound';
  readonly label: string;
}
export type Check = TextCheck | KeyCheck | SpecialCheck;

/** Keys that neither the browser nor the desktop reserves. */
const SINGLE_KEYS: readonly Chord[] = [
  ['Tab'],
  ['Enter'],
  ['Esc'],
  ['Backspace'],
  ['Del'],
  ['Left'],
  ['Up'],
  ['Right'],
  ['Down'],
  ['Home'],
  ['End'],
  ['PageUp'],
  ['PageDown'],
  ['F2'],
  ['F9'],
];
const SHORTCUTS: readonly Chord[] = [
  ['Ctrl', 'a'],
  ['Ctrl', 'z'],
  ['Ctrl', 'y'],
  ['Shift', 'Tab'],
  ['Ctrl', 'Shift', 'Right'],
  ['Shift', 'Home'],
  // Not an arrow: labwc moves the window with those.
  ['Alt', 'PageDown'],
];

/** All checks, in their order. The texts come first, because they matter most. */
export const checks: readonly Check[] = [
  ...sampleTexts.map(({ label, parts }): TextCheck => ({ kind: 'text', label, parts })),
  { kind: 'keys', label: 'Keys', chords: SINGLE_KEYS },
  { kind: 'keys', label: 'Shortcuts', chords: SHORTCUTS },
  { kind: 'paste', label: 'Clipboard, written by the agent' },
  { kind: 'copy', label: 'Clipboard, read by the agent' },
  { kind: 'move', label: 'Pointer' },
  { kind: 'click', label: 'Mouse buttons' },
  { kind: 'wheel', label: 'Mouse wheel' },
  { kind: 'window', label: 'Window in front' },
  { kind: 'sound', label: 'Volume' },
];
