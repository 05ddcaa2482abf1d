import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getSoundOwner } from '../../usage/domain/measurement.ts';
import { parseCategoryHotkeys, applyAction, VOLUME_STEP } from './categoryHotkeys.ts';

const sounds = fc.array(fc.record({ level: fc.integer({ min: 0, max: 100 }), muted: fc.boolean() }), { minLength: 1 });

test('keys are parsed, empty ones are omitted, and invalid ones are refused with a sentence', () => {
  const { hotkeys, refused } = parseCategoryHotkeys([
    { name: 'Games', up: 'u', down: ' ', mute: 'Ctrl-', applications: ['Doom'] },
    { name: 'Music', up: '', down: 'ctrl+alt+d', mute: '', applications: [] },
  ]);
  expect(hotkeys).toEqual([
    { category: 'Games', applications: ['Doom'], action: 'up', hotkey: { modifiers: [], key: 'u' } },
    { category: 'Music', applications: [], action: 'down', hotkey: { modifiers: ['Ctrl', 'Alt'], key: 'd' } },
  ]);
  expect(refused).toEqual([
    { category: 'Games', action: 'mute', reason: expect.stringContaining('Add a key other than') },
  ]);
});

test('up and down are 5 % each, undo one another between the ends, and stay between 0 and 100', () => {
  fc.assert(
    fc.property(sounds, (before) => {
      const up = applyAction('up', before);
      const down = applyAction('down', up);
      for (const [index, { level, muted }] of before.entries()) {
        expect(up[index]).toEqual({ level: Math.min(100, level + VOLUME_STEP), muted: false });
        if (level <= 100 - VOLUME_STEP) expect(down[index]).toEqual({ level, muted: false });
        expect(applyAction('down', before)[index]).toEqual({ level: Math.max(0, level - VOLUME_STEP), muted });
      }
    }),
  );
});

test('mute silences all, the next press restores all, and the levels stay', () => {
  fc.assert(
    fc.property(sounds, (before) => {
      const once = applyAction('mute', before);
      const wereSilent = before.every(({ muted }) => muted);
      expect(once).toEqual(before.map(({ level }) => ({ level, muted: !wereSilent })));
      expect(applyAction('mute', once)).toEqual(before.map(({ level }) => ({ level, muted: wereSilent })));
    }),
  );
});

const source = (...lineage: readonly number[]) => ({ session: 'Playback', lineage, program: 'pacat' });

test('a sound belongs to the window of its process or of its nearest ancestor, or else to its program', () => {
  const windows = [
    { application: 'Chromium', pid: 10 },
    { application: 'XTerm', pid: 20 },
    { application: 'Remote', pid: undefined },
  ];
  expect(getSoundOwner(source(30, 20, 10), windows)).toBe('XTerm');
  expect(getSoundOwner(source(30, 10, 1), windows)).toBe('Chromium');
  expect(getSoundOwner(source(30, 1), windows)).toBe('pacat');
  expect(getSoundOwner({ ...source(), program: '' }, windows)).toBe('Playback');
});
