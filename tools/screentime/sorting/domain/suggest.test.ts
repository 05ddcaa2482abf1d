import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getKind, suggestCategories } from './sortingRule.ts';

test.each([
  ['firefox', 'Browsers'],
  ['Firefox-esr', 'Browsers'],
  ['Google-chrome', 'Browsers'],
  ['Google-chrome-beta', 'Browsers'],
  ['chrome.exe', 'Browsers'],
  ['org.gnome.Nautilus', 'System'],
  ['jetbrains-pycharm-ce', 'Development'],
  ['Code', 'Development'],
  ['code-insiders', 'Development'],
  ['XTerm', 'Terminals'],
  ['gnome-terminal-server', 'Terminals'],
  ['libreoffice-calc', 'Office'],
  ['TelegramDesktop', 'Chat'],
  ['Slack', 'Chat'],
  ['Gimp-2.10', 'Graphics'],
  ['Spotify', 'Music'],
  ['com.spotify.Client', undefined],
  ['vlc', 'Video'],
  ['Steam', 'Games'],
  ['youtube.com', 'Video'],
  ['www.github.com', 'Development'],
  ['music.youtube.com', 'Music'],
  ['constructor', undefined],
  ['a program of my own', undefined],
  ['x'.repeat(500), undefined],
])('%s is known as %s', (name, kind) => {
  expect(getKind(name)).toBe(kind);
});

test('an existing category is suggested under its own name', () => {
  expect(suggestCategories(['Firefox', 'Steam', 'unheard of'], ['browser', 'unassigned'])).toEqual([
    { application: 'Firefox', category: 'browser' },
    { application: 'Steam', category: 'Games' },
  ]);
});

test('any name has a result', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...Array.from('aZ.-9 👋\0é')), maxLength: 120 }), (name) => {
      expect(suggestCategories([name], []).length).toBeLessThanOrEqual(1);
    }),
  );
});
