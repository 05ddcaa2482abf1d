import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ECHO_WINDOW_MS, createEchoFilter } from './echoFilter.ts';
import { setLevel, getBalance, isSameVolume, toLevel } from './levelStore.ts';
import { readPulseCookie, listSocketPaths, FULL_VOLUME } from './pulseConnection.ts';
import { hashToColour, sanitizeName, nameOutputs } from './sessionLabels.ts';
import { createSoundUseTracker } from './soundUseTracker.ts';

const anyVolumes = fc.array(fc.integer({ min: 0, max: 2 * FULL_VOLUME }), { minLength: 1, maxLength: 8 });
const anyLevel = fc.integer({ min: 0, max: 100 });

test('a level that was set is the level that is shown, and the balance stays', () => {
  fc.assert(
    fc.property(anyVolumes, anyLevel, (volume, to) => {
      const balance = getBalance(volume);
      const newVolume = setLevel(volume, balance, to);
      expect(toLevel(newVolume)).toBe(to);
      const newBalance = getBalance(newVolume);
      if (balance && newBalance && to > 0)
        for (const [index, share] of newBalance.entries())
          expect(Math.abs(share - (balance[index] ?? 0))).toBeLessThan(0.002);
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

const createOutput = (description: string, isDefault = false) => ({ description, isDefault });

test('outputs with the same name are distinguished by a number', () => {
  expect(
    nameOutputs([
      createOutput('Speakers', true),
      createOutput('USB'),
      createOutput('USB'),
      createOutput('USB'),
      createOutput(''),
    ]),
  ).toEqual(['Master', 'USB', 'USB 2', 'USB 3', 'Output']);
  expect(nameOutputs([createOutput('Speakers', true), createOutput('Master')])).toEqual(['Master', 'Master 2']);
});

function getLuminance(hex: string): number {
  const channels = [1, 3, 5].map((index) => Number.parseInt(hex.slice(index, index + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = channels.map((channel) =>
    channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test('a colour is stable for a name, and has contrast to the lightest and the darkest surface', () => {
  fc.assert(
    fc.property(fc.string(), (name) => {
      const colour = hashToColour(name);
      expect(colour).toMatch(/^#[\da-f]{6}$/);
      expect(hashToColour(name)).toBe(colour);
      const colourLuminance = getLuminance(colour);
      // WCAG 2 contrast to white, and to the lightest surface of the dark scheme (#26262e).
      expect(1.05 / (colourLuminance + 0.05)).toBeGreaterThan(3);
      expect((colourLuminance + 0.05) / (getLuminance('#26262e') + 0.05)).toBeGreaterThan(3);
    }),
  );
  expect(new Set(['Firefox', 'Spotify', 'VLC', 'Game', 'Chat'].map(hashToColour)).size).toBe(5);
});

const createLevel = (level: number) => ({ level, muted: false });

test('an echo of an older own change is ignored, a change by others counts, and finally the reported level counts', () => {
  let now = 0;
  const echoes = createEchoFilter(() => now);
  echoes.recordChange('film', createLevel(80), createLevel(30));
  echoes.recordChange('film', createLevel(30), createLevel(31));
  for (const echo of [80, 30, 31]) expect(echoes.resolve('film', createLevel(echo))).toEqual(createLevel(31));
  expect(echoes.resolve('music', createLevel(30))).toEqual(createLevel(30));
  now = 10 * ECHO_WINDOW_MS;
  expect(echoes.resolve('film', createLevel(80)), 'reported before the server has acknowledged').toEqual(
    createLevel(31),
  );
  echoes.onAcknowledged('film');
  now += ECHO_WINDOW_MS;
  expect(echoes.resolve('film', createLevel(30)), 'one acknowledgement is missing').toEqual(createLevel(31));
  echoes.onAcknowledged('film');
  now += ECHO_WINDOW_MS;
  expect(echoes.resolve('film', createLevel(30)), 'no echo arrives so late').toEqual(createLevel(30));
  echoes.recordChange('film', createLevel(30), createLevel(40));
  echoes.onAcknowledged('film');
  expect(echoes.resolve('film', createLevel(55)), 'somebody else').toEqual(createLevel(55));
  expect(echoes.resolve('film', createLevel(30)), 'later levels are theirs too').toEqual(createLevel(30));
  echoes.recordChange('film', createLevel(30), createLevel(50));
  echoes.remove('film');
  echoes.onAcknowledged('film');
  expect(echoes.resolve('film', createLevel(30))).toEqual(createLevel(30));
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

const createStream = (index: number, corked: boolean, properties: Record<string, string>) =>
  ({ index, kind: 'recording', corked, properties }) as const;

test('a corked stream, a sound of the desktop and the meter of a mixer neither play nor record', () => {
  const { update, list } = createSoundUseTracker();
  update([
    createStream(1, true, { 'application.name': 'Paused' }),
    createStream(2, false, { 'media.role': 'event' }),
    createStream(3, false, { 'media.name': 'Peak detect' }),
    createStream(4, false, { 'application.name': 'Call', 'application.process.id': 'none' }),
    createStream(5, false, {
      'application.name': 'Boxed',
      'application.process.id': '7',
      'pipewire.sec.pid': String(process.pid),
    }),
  ]);
  expect(list().map(({ session }) => session)).toEqual(['Call', 'Boxed']);
  expect(list()[0]).toMatchObject({ lineage: [], program: '' });
  expect(list()[1]?.lineage.slice(0, 2)).toEqual([process.pid, process.ppid]);
  expect(list()[1]?.program).toMatch(/^node/);
});
