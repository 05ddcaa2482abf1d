// Numbers by which Qt, and so KDE's global shortcuts, identify keys.
import type { KeyChord } from '../drivers.ts';

const SHIFT = 0x02000000;
const MODIFIERS: Readonly<Record<string, number>> = {
  Shift: SHIFT,
  Ctrl: 0x04000000,
  Alt: 0x08000000,
  Gui: 0x10000000,
};

/** Qt's numbers of named keys. Qt has two for the key that plays and pauses. */
const KEYS: ReadonlyMap<string, readonly number[]> = new Map([
  ['Esc', [0x01000000]],
  ['Tab', [0x01000001]],
  ['Backspace', [0x01000003]],
  ['Enter', [0x01000004]],
  ['Insert', [0x01000006]],
  ['Del', [0x01000007]],
  ['Pause', [0x01000008]],
  ['Print', [0x01000009]],
  ['Home', [0x01000010]],
  ['End', [0x01000011]],
  ['Left', [0x01000012]],
  ['Up', [0x01000013]],
  ['Right', [0x01000014]],
  ['Down', [0x01000015]],
  ['PageUp', [0x01000016]],
  ['PageDown', [0x01000017]],
  ['CapsLock', [0x01000024]],
  ['NumLock', [0x01000025]],
  ['ScrollLock', [0x01000026]],
  ['Menu', [0x01000055]],
  ['Help', [0x01000058]],
  ['Back', [0x01000061]],
  ['Forward', [0x01000062]],
  ['VolumeDown', [0x01000070]],
  ['Mute', [0x01000071]],
  ['VolumeUp', [0x01000072]],
  ['Play', [0x01000086, 0x01000080]],
  ['Stop', [0x01000081]],
  ['Previous', [0x01000082]],
  ['Next', [0x01000083]],
  ['HomePage', [0x01000090]],
  ['Favorites', [0x01000091]],
  ['Search', [0x01000092]],
  ['Mail', [0x010000a0]],
  ['BrightnessUp', [0x010000b2]],
  ['BrightnessDown', [0x010000b3]],
  ['Calculator', [0x010000cb]],
  ['MicMute', [0x01000113]],
  ['Sleep', [0x01020004]],
  ['Space', [0x20]],
  ['Minus', [0x2d]],
]);
const F1 = 0x01000030;
/** Qt counts these keys from 2, as two other keys have the first numbers. */
const LAUNCH_0 = 0x010000a4;

function getQtKeys(key: string): readonly number[] {
  const named = KEYS.get(key);
  if (named) return named;
  const functionKey = Number(/^F(\d+)$/.exec(key)?.[1]);
  if (functionKey >= 1 && functionKey <= 35) return [F1 + functionKey - 1];
  const launch = /^Launch(\d)$/.exec(key)?.[1];
  if (launch !== undefined) return [LAUNCH_0 + Number(launch)];
  const characters = Array.from(key);
  const upper = key.toUpperCase().codePointAt(0) ?? 0;
  return characters.length === 1 && upper > 0x20 ? [upper] : [];
}

/**
 * Returns Qt's numbers of a chord: all of them do. None if Qt has no number for it, as for AltGr and the keys of the
 * number pad.
 */
export function toQtKeys({ modifiers, key }: KeyChord): readonly number[] {
  const flags = modifiers.map((modifier) => MODIFIERS[modifier]);
  if (flags.includes(undefined)) return [];
  return getQtKeys(key).map((code) => flags.reduce<number>((sum, flag) => sum | (flag ?? 0), code));
}
