import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { isConfigured, resolveIncludes, toSwayChord } from './config.ts';

const CONFIG = `
set $mod Mod4
bindsym $mod+Return exec foot
bindsym --no-warn Ctrl+Alt+r exec something
  bindsym F9 nop
mode "resize" {
  bindsym Left resize shrink width 10px
}
bar {
  position top
}
bindsym XF86AudioMute exec mute
bindsym --locked {
  --no-warn Alt+F11 nop
  F12 nop
}
bindsym F7 nop
# bindsym F10 nop
bindcode --release Ctrl+Mod1+28 nop
bindcode {
  --locked $mod+29 nop
}
set $power Power (l) lock
mode --pango_markup "$power" {
  bindsym F5 nop
}
mode "$power" bindsym F6 nop
`;
/** The kernel's codes of some keys of a US keyboard. */
const findKeyCode = (keysym: number): number | undefined =>
  new Map([
    ['t', 20],
    ['y', 21],
  ]).get(String.fromCodePoint(keysym));

test.each([
  [{ modifiers: ['Gui'], key: 'Enter' }],
  [{ modifiers: ['Alt', 'Ctrl'], key: 'r' }],
  [{ modifiers: [], key: 'F9' }],
  [{ modifiers: ['Alt'], key: 'F11' }],
  [{ modifiers: [], key: 'F12' }],
  [{ modifiers: [], key: 'F7' }],
])('keys that the configuration binds are taken: %j', (chord) => {
  expect(isConfigured(CONFIG, chord)).toBe(true);
});

test.each([[{ modifiers: [], key: 'Left' }], [{ modifiers: [], key: 'F10' }], [{ modifiers: ['Ctrl'], key: 'r' }]])(
  'others are free, also those of a mode or of a comment: %j',
  (chord) => {
    expect(isConfigured(CONFIG, chord)).toBe(false);
  },
);

test('keys that included files bind are not available either', () => {
  const folder = createTempFolderSync();
  mkdirSync(join(folder, 'config.d'));
  writeFileSync(join(folder, 'config.d', '50-keys'), 'bindsym F8 nop\ninclude more\ninclude 50-keys\n');
  writeFileSync(join(folder, 'config.d', 'more'), 'bindsym F7 nop');
  const config = resolveIncludes(`bindsym F6 nop\ninclude '${folder}/config.d/*'\ninclude missing\n`, folder);
  const isTaken = (key: string): boolean => isConfigured(config, { modifiers: [], key });
  expect(['F5', 'F6', 'F7', 'F8', 'F9'].map(isTaken)).toEqual([false, true, true, true, false]);
});

test('keys have their keysym in sway, and unknown ones have no name', () => {
  expect(toSwayChord({ modifiers: ['Ctrl', 'Gui'], key: 'a' })).toBe('Control+Mod4+0x61');
  expect(toSwayChord({ modifiers: [], key: 'VolumeUp' })).toBe('0x1008ff13');
  expect(toSwayChord({ modifiers: ['Ctrl'], key: 'NoSuchKey' })).toBeUndefined();
});

test.each([
  [['Alt', 'Ctrl'], 't', true],
  [['Gui'], 'y', true],
  [['Ctrl'], 't', false],
  [['Alt', 'Ctrl'], 'y', false],
])('keys can be bound by their codes: %j %s', (modifiers, key, isTaken) => {
  expect(isConfigured(CONFIG, { modifiers, key }, { findKeyCode })).toBe(isTaken);
});

test.each([
  ['resize', ['Left']],
  ['Power (l) lock', ['F5', 'F6']],
])('each mode has its own keys: %s', (mode, keys) => {
  const isTaken = (key: string): boolean => isConfigured(CONFIG, { modifiers: [], key }, { mode });
  expect(['Left', 'F5', 'F6', 'F7', 'F9'].filter(isTaken)).toEqual(keys);
});
