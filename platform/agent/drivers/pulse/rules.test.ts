import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cookieOf, socketPaths } from './address.ts';
import { colourOf } from './colour.ts';
import { FULL } from './connection.ts';
import { ECHO_MS, makeEchoes } from './echoes.ts';
import { cleanName, outputNames } from './naming.ts';
import { makeUses } from './uses.ts';
import { atLevel, balanceOf, isSameVolume, levelOf } from './volume.ts';

const channels = fc.array(fc.integer({ min: 0, max: 2 * FULL }), { minLength: 1, maxLength: 8 });
const level = fc.integer({ min: 0, max: 100 });

test('a level that was set is the level that is shown, and the balance is kept', () => {
  fc.assert(
    fc.property(channels, level, (volume, to) => {
      const balance = balanceOf(volume);
      const set = atLevel(volume, balance, to);
      expect(levelOf(set)).toBe(to);
      const kept = balanceOf(set);
      if (balance && kept && to > 0)
        for (const [at, share] of kept.entries()) expect(Math.abs(share - (balance[at] ?? 0))).toBeLessThan(0.002);
    }),
  );
});

test('what can be heard at all is not shown as silence, and what is above 100 % stays there', () => {
  expect(levelOf([1, 0])).toBe(1);
  expect(levelOf([])).toBe(0);
  expect(atLevel([1.5 * FULL], undefined, 100)).toEqual([1.5 * FULL]);
  expect(atLevel([1.5 * FULL], [1], 99)).toEqual([Math.round(0.99 * FULL)]);
  expect(isSameVolume([100, 200], [101, 199])).toBe(true);
  expect(isSameVolume([100], [100, 100])).toBe(false);
});

test('any name becomes one short line that is safe as a key, and cleaning it again changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (raw) => {
      const clean = cleanName(raw);
      expect(clean.length).toBeLessThanOrEqual(200);
      expect(clean).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u);
      expect(clean).not.toBe('__proto__');
      expect(cleanName(clean)).toBe(clean);
    }),
  );
  expect(cleanName('👩‍💻 at work')).toBe('👩‍💻 at work');
  expect(cleanName('\u200D\u2066 ')).toBe('');
});

const plain = (description: string, isDefault = false) => ({ description, isDefault });

test('outputs of one name are told apart by a number', () => {
  expect(outputNames([plain('Speakers', true), plain('USB'), plain('USB'), plain('USB'), plain('')])).toEqual([
    'Master',
    'USB',
    'USB 2',
    'USB 3',
    'Output',
  ]);
  expect(outputNames([plain('Speakers', true), plain('Master')])).toEqual(['Master', 'Master 2']);
});

const luminance = (hex: string): number => {
  const parts = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = parts.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

test('a colour is always the same for a name, and stands out from the lightest and the darkest surface', () => {
  fc.assert(
    fc.property(fc.string(), (name) => {
      const colour = colourOf(name);
      expect(colour).toMatch(/^#[\da-f]{6}$/);
      expect(colourOf(name)).toBe(colour);
      const light = luminance(colour);
      // Contrast of WCAG 2 with white, and with the lightest of the dark scheme's surfaces (#26262e).
      expect(1.05 / (light + 0.05)).toBeGreaterThan(3);
      expect((light + 0.05) / (luminance('#26262e') + 0.05)).toBeGreaterThan(3);
    }),
  );
  expect(new Set(['Firefox', 'Spotify', 'VLC', 'Game', 'Chat'].map(colourOf)).size).toBe(5);
});

const at = (one: number) => ({ level: one, muted: false });

test('an echo of what we set before does not count, what others set does, and in the end what is heard', () => {
  let now = 0;
  const echoes = makeEchoes(() => now);
  echoes.set('film', at(80), at(30));
  echoes.set('film', at(30), at(31));
  for (const echo of [80, 30, 31]) expect(echoes.resolve('film', at(echo))).toEqual(at(31));
  expect(echoes.resolve('music', at(30))).toEqual(at(30));
  now = 10 * ECHO_MS;
  expect(echoes.resolve('film', at(80)), 'heard before the server has answered').toEqual(at(31));
  echoes.answered('film');
  now += ECHO_MS;
  expect(echoes.resolve('film', at(30)), 'one answer is to come').toEqual(at(31));
  echoes.answered('film');
  now += ECHO_MS;
  expect(echoes.resolve('film', at(30)), 'no echo comes so late').toEqual(at(30));
  echoes.set('film', at(30), at(40));
  echoes.answered('film');
  expect(echoes.resolve('film', at(55)), 'somebody else').toEqual(at(55));
  expect(echoes.resolve('film', at(30)), 'and what comes after is theirs too').toEqual(at(30));
  echoes.set('film', at(30), at(50));
  echoes.forget('film');
  echoes.answered('film');
  expect(echoes.resolve('film', at(30))).toEqual(at(30));
});

test('the sound server is looked for where the environment names one on this computer', () => {
  expect(socketPaths({})).toEqual([]);
  expect(socketPaths({ XDG_RUNTIME_DIR: '/run/user/1' })).toEqual(['/run/user/1/pulse/native']);
  expect(socketPaths({ XDG_RUNTIME_DIR: '/run/user/1', PULSE_RUNTIME_PATH: '/p' })).toEqual(['/p/native']);
  expect(socketPaths({ XDG_RUNTIME_DIR: '/r', PULSE_SERVER: 'tcp:far:4713 {id}unix:/a/b /c' })).toEqual(['/a/b', '/c']);
});

test('without a cookie that can be read there is one of zeros', async () => {
  expect(await cookieOf({ HOME: '/nowhere' })).toEqual(Buffer.alloc(256));
  expect(await cookieOf({ PULSE_COOKIE: '/etc/hostname' })).toEqual(Buffer.alloc(256));
});

const stream = (index: number, corked: boolean, properties: Record<string, string>) =>
  ({ index, kind: 'recording', corked, properties }) as const;

test('a stream that is held up, a sound of the desktop and a meter of the mixer neither play nor record', () => {
  const { take, uses } = makeUses();
  take([
    stream(1, true, { 'application.name': 'Paused' }),
    stream(2, false, { 'media.role': 'event' }),
    stream(3, false, { 'media.name': 'Peak detect' }),
    stream(4, false, { 'application.name': 'Call', 'application.process.id': 'none' }),
    stream(5, false, {
      'application.name': 'Boxed',
      'application.process.id': '7',
      'pipewire.sec.pid': String(process.pid),
    }),
  ]);
  expect(uses().map(({ session }) => session)).toEqual(['Call', 'Boxed']);
  expect(uses()[0]).toMatchObject({ lineage: [], program: '' });
  expect(uses()[1]?.lineage.slice(0, 2)).toEqual([process.pid, process.ppid]);
  expect(uses()[1]?.program).toMatch(/^node/);
});
