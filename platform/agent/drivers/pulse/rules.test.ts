import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ECHO_WINDOW_MS, createEchoFilter } from './echoes.ts';
import { setLevel, getBalance, isSameVolume, toLevel } from './levelMemory.ts';
import { createSoundUseTracker } from './pulseAudio.ts';
import { readPulseCookie, listSocketPaths, FULL_VOLUME } from './pulseConnection.ts';
import { hashToColour, sanitizeName, nameOutputs } from './sessionLabels.ts';

const channels = fc.array(fc.integer({ min: 0, max: 2 * FULL_VOLUME }), { minLength: 1, maxLength: 8 });
const level = fc.integer({ min: 0, max: 100 });

test('a level that was set is the level that is shown, and the balance stays', () => {
  fc.assert(
    fc.property(channels, level, (volume, to) => {
      const balance = getBalance(volume);
      const set = setLevel(volume, balance, to);
      expect(toLevel(set)).toBe(to);
      const newBalance = getBalance(set);
      if (balance && newBalance && to > 0)
        for (const [at, share] of newBalance.entries())
          expect(Math.abs(share - (balance[at] ?? 0))).toBeLessThan(0.002);
    }),
  );
});

test('an audible level is not shown as silence, and a level above 100 % stays there', () => {
  expect(toLevel([1, 0])).toBe(1);
  expect(toLevel([])).toBe(0);
  expect(setLevel([1.5 * FULL_VOLUME], undefined, 100)).toEqual([1.5 * FULL_VOLUME]);
  expect(setLevel([1.5 * FULL_VOLUME], [1], 99)).toEqual([Math.round(0.99 * FULL_VOLUME)]);
  expect(isSameVolume([100, 200], [101, 199])).toBe(true);
  expect(isSameVolume([100], [100, 100])).toBe(false);
});

test('any name becomes one short line that is safe as a key, and sanitizing it again changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (raw) => {
      const clean = sanitizeName(raw);
      expect(clean.length).toBeLessThanOrEqual(200);
      expect(clean).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u);
      expect(clean).not.toBe('__proto__');
      expect(sanitizeName(clean)).toBe(clean);
    }),
  );
  expect(sanitizeName('👩‍💻 at work')).toBe('👩‍💻 at work');
  expect(sanitizeName('\u200D\u2066 ')).toBe('');
});

const plain = (description: string, isDefault = false) => ({ description, isDefault });

test('outputs with the same name are distinguished by a number', () => {
  expect(nameOutputs([plain('Speakers', true), plain('USB'), plain('USB'), plain('USB'), plain('')])).toEqual([
    'Master',
    'USB',
    'USB 2',
    'USB 3',
    'Output',
  ]);
  expect(nameOutputs([plain('Speakers', true), plain('Master')])).toEqual(['Master', 'Master 2']);
});

const luminance = (hex: string): number => {
  const parts = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = parts.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

test('a colour is stable for a name, and has contrast to the lightest and the darkest surface', () => {
  fc.assert(
    fc.property(fc.string(), (name) => {
      const colour = hashToColour(name);
      expect(colour).toMatch(/^#[\da-f]{6}$/);
      expect(hashToColour(name)).toBe(colour);
      const light = luminance(colour);
      // WCAG 2 contrast to white, and to the lightest surface of the dark scheme (#26262e).
      expect(1.05 / (light + 0.05)).toBeGreaterThan(3);
      expect((light + 0.05) / (luminance('#26262e') + 0.05)).toBeGreaterThan(3);
    }),
  );
  expect(new Set(['Firefox', 'Spotify', 'VLC', 'Game', 'Chat'].map(hashToColour)).size).toBe(5);
});

const at = (one: number) => ({ level: one, muted: false });

test('an echo of an older own change is ignored, a change by others counts, and finally the reported level counts', () => {
  let now = 0;
  const echoes = createEchoFilter(() => now);
  echoes.recordChange('film', at(80), at(30));
  echoes.recordChange('film', at(30), at(31));
  for (const echo of [80, 30, 31]) expect(echoes.resolve('film', at(echo))).toEqual(at(31));
  expect(echoes.resolve('music', at(30))).toEqual(at(30));
  now = 10 * ECHO_WINDOW_MS;
  expect(echoes.resolve('film', at(80)), 'heard before the server has answered').toEqual(at(31));
  echoes.onAcknowledged('film');
  now += ECHO_WINDOW_MS;
  expect(echoes.resolve('film', at(30)), 'one answer is to come').toEqual(at(31));
  echoes.onAcknowledged('film');
  now += ECHO_WINDOW_MS;
  expect(echoes.resolve('film', at(30)), 'no echo comes so late').toEqual(at(30));
  echoes.recordChange('film', at(30), at(40));
  echoes.onAcknowledged('film');
  expect(echoes.resolve('film', at(55)), 'somebody else').toEqual(at(55));
  expect(echoes.resolve('film', at(30)), 'and what comes after is theirs too').toEqual(at(30));
  echoes.recordChange('film', at(30), at(50));
  echoes.remove('film');
  echoes.onAcknowledged('film');
  expect(echoes.resolve('film', at(30))).toEqual(at(30));
});

test('sound servers are looked for where the environment names local ones', () => {
  expect(listSocketPaths({})).toEqual([]);
  expect(listSocketPaths({ XDG_RUNTIME_DIR: '/run/user/1' })).toEqual(['/run/user/1/pulse/native']);
  expect(listSocketPaths({ XDG_RUNTIME_DIR: '/run/user/1', PULSE_RUNTIME_PATH: '/p' })).toEqual(['/p/native']);
  expect(listSocketPaths({ XDG_RUNTIME_DIR: '/r', PULSE_SERVER: 'tcp:far:4713 {id}unix:/a/b /c' })).toEqual([
    '/a/b',
    '/c',
  ]);
});

test('without a readable cookie, zeros are used', async () => {
  expect(await readPulseCookie({ HOME: '/nowhere' })).toEqual(Buffer.alloc(256));
  expect(await readPulseCookie({ PULSE_COOKIE: '/etc/hostname' })).toEqual(Buffer.alloc(256));
});

const stream = (index: number, corked: boolean, properties: Record<string, string>) =>
  ({ index, kind: 'recording', corked, properties }) as const;

test('a corked stream, a sound of the desktop and the meter of a mixer neither play nor record', () => {
  const { take, uses } = createSoundUseTracker();
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
