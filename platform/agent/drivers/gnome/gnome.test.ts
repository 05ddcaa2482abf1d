import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findPrimaryCentre } from './displayConfig.ts';
import { describeMissingExtension, getExtensionFolder, parseNames } from './extensionInstaller.ts';
import { toAccelerator } from './hotkeys.ts';
import { findIbusAddress } from './ibusProtocol.ts';
import { splitForField } from './keyboard.ts';
import { findLayoutGroup, parseXkbSources } from './layoutGroup.ts';
import { createExtensionFiles } from './shellExtension.ts';

test.each([
  [['us', 'de', 'ru'], ['de', 'us', 'ru'], 1],
  [['us', 'de', 'ru'], ['fr', 'ru'], 2],
  [['us', 'de', 'ru', 'fr'], ['fr'], 0],
  [['us', 'us', 'ru'], ['ru'], 1],
  [['us', 'de'], [], 0],
  [[], [], 0],
])('of the layouts %j, chosen in the order %j, group %d is active', (sources, recent, group) => {
  expect(findLayoutGroup(sources, recent)).toBe(group);
});

test('the layouts in the settings are read, and other input sources are left out', () => {
  expect(parseXkbSources("[('xkb', 'de+nodeadkeys'), ('ibus', 'libpinyin'), ('xkb', 'us')]\n")).toEqual([
    'de+nodeadkeys',
    'us',
  ]);
  expect(parseXkbSources('@a(ss) []')).toEqual([]);
});

test.each([
  [{ modifiers: ['Ctrl', 'Alt'], key: 'r' }, '<Control><Alt>r'],
  [{ modifiers: [], key: 'F9' }, 'F9'],
  [{ modifiers: ['Gui'], key: 'Left' }, '<Super>Left'],
  [{ modifiers: ['Shift'], key: 'PageUp' }, '<Shift>Prior'],
  [{ modifiers: [], key: 'Play' }, 'XF86AudioPlay'],
  [{ modifiers: ['Ctrl'], key: 'я' }, '<Control>U44f'],
  [{ modifiers: ['Ctrl'], key: 'NoSuchKey' }, undefined],
  [{ modifiers: ['Hyper'], key: 'a' }, undefined],
])('GNOME has a form of the chord %j', (chord, accelerator) => {
  expect(toAccelerator(chord)).toBe(accelerator);
});

const createDisplayState = (scale: number, transform: number, layoutMode: number) => [
  2,
  [
    [['HDMI-1', 'a', 'b', 'c'], [['m', 3840, 2160, 60, 1, [1], [['is-current', [[], [true]]]]]], []],
    [['eDP-1', 'a', 'b', 'c'], [['m', 1280, 800, 60, 1, [1], [['is-current', [[], [true]]]]]], []],
  ],
  [
    [1280, 0, scale, transform, true, [['HDMI-1', 'a', 'b', 'c']], []],
    [0, 0, 1, 0, false, [['eDP-1', 'a', 'b', 'c']], []],
  ],
  [['layout-mode', [[], [layoutMode]]]],
];
test.each([
  [1, 0, 2, { x: 1280 + 1920, y: 1080 }],
  [2, 0, 1, { x: 1280 + 960, y: 540 }],
  [2, 0, 2, { x: 1280 + 1920, y: 1080 }],
  [1, 1, 2, { x: 1280 + 1080, y: 1920 }],
])('the middle of the primary screen is found with scale %d, transform %d and layout mode %d', (...values) => {
  const [scale, transform, layoutMode, centre] = values;
  expect(findPrimaryCentre(createDisplayState(scale, transform, layoutMode))).toEqual(centre);
});

test.each([
  ['a\tb\nc\n\n', false, ['a\tb\nc', '\n', '\n']],
  ['a\tb\nc\n', true, ['a', '\t', 'b', '\n', 'c', '\n']],
  ['ab\bc', false, ['ab', '\b', 'c']],
  ['\n', false, ['\n']],
  ['', false, []],
])('the text %j is divided for a text field (terminal: %j)', (text, isTerminal, pieces) => {
  expect(splitForField(text, isTerminal)).toEqual(pieces);
});

test('names in the settings of GNOME are read', () => {
  expect(parseNames("['a@b', 'c@d']\n")).toEqual(['a@b', 'c@d']);
  expect(parseNames('@as []')).toEqual([]);
});

test.each([43, 44, 45, 51])('the extension for GNOME %d is valid JavaScript of the form that it loads', (version) => {
  const files = createExtensionFiles(version);
  const metadata: unknown = JSON.parse(files.get('metadata.json') ?? '');
  expect(metadata).toMatchObject({ 'shell-version': expect.arrayContaining([String(version)]) });
  const script = files.get('extension.js') ?? '';
  expect(/^import /m.test(script)).toBe(version >= 45);
  expect(/^function init\(\)/m.test(script)).toBe(version < 45);
  const type = version >= 45 ? 'module' : 'commonjs';
  const { stderr } = spawnSync(process.execPath, [`--input-type=${type}`, '--check'], {
    input: script,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
});

test('a missing extension is explained, with what to do', () => {
  const home = mkdtempSync(join(tmpdir(), 'pegboard-gnome-home-'));
  try {
    const env = { HOME: home };
    expect(describeMissingExtension(env)).toContain('"gnome-extension install" instead of "run"');
    const folder = getExtensionFolder(env);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'extension.js'), '');
    expect(describeMissingExtension(env)).toContain('Sign out of that computer and in again');
  } finally {
    rmSync(home, { recursive: true });
  }
});

test('the address of IBus is that of the desktop and of a daemon that runs', () => {
  const home = mkdtempSync(join(tmpdir(), 'pegboard-gnome-home-'));
  const folder = join(home, '.config/ibus/bus');
  const write = (name: string, pid: number) =>
    writeFileSync(
      join(folder, name),
      `# comment\nIBUS_ADDRESS=unix:abstract=/tmp/${name},guid=1\nIBUS_DAEMON_PID=${pid}\n`,
    );
  try {
    mkdirSync(folder, { recursive: true });
    expect(findIbusAddress({ HOME: home })).toBeUndefined();
    write('1-unix-wayland-0', process.pid);
    write('1-unix-wayland-1', process.pid);
    const env = { HOME: home, WAYLAND_DISPLAY: 'wayland-1' };
    expect(findIbusAddress(env)).toBe('unix:abstract=/tmp/1-unix-wayland-1,guid=1');
    write('1-unix-wayland-1', 2 ** 22 + 1);
    expect(existsSync(`/proc/${2 ** 22 + 1}`)).toBe(false);
    expect(findIbusAddress(env)).toBeUndefined();
  } finally {
    rmSync(home, { recursive: true });
  }
});
