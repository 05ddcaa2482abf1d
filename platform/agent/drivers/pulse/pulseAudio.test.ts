import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import {
  getSoundSkipReason,
  soundServers,
  startSoundServer,
  type TestSoundServer,
} from '#testing/kits/desktop/sound.ts';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import type { AudioDriver, AudioLevel } from '../drivers.ts';
import { createFakeDrivers } from '../fakeDrivers.ts';
import { openPulseAudio, type PulseAudioDriver } from './pulseAudio.ts';

const FULL_VOLUME = 65_536;

const findSession = (audio: AudioDriver, name: string): AudioLevel | undefined =>
  audio.getState().sessions.find((one) => one.name === name);
const waitForLevel = (audio: AudioDriver, name: string, level: number, muted = false): Promise<unknown> =>
  waitFor(`${name} shows ${level}${muted ? ', muted' : ''}`, () => {
    const shown = findSession(audio, name);
    return shown?.level === level && shown.muted === muted;
  });
const waitUntilGone = (audio: AudioDriver, name: string): Promise<unknown> =>
  waitFor(`${name} is gone`, () => findSession(audio, name) === undefined);

async function openAudio({ env }: TestSoundServer, stateDir = createTempFolderSync()): Promise<PulseAudioDriver> {
  const audio = openPulseAudio({ env, stateDir });
  await waitFor('the sound server is found', () => audio.ability.able);
  return audio;
}

/** Chooses the default output. PipeWire loses a choice that is made before its session manager knows the output. */
const chooseOutput = (soundServer: TestSoundServer, name: string): Promise<boolean> =>
  waitFor(`${name} is the default output`, async () => {
    await soundServer.runPactl('set-default-sink', name);
    return (await soundServer.runPactl('get-default-sink')).trim() === name;
  });

/** A computer on which 'Film' plays at 40 %. */
interface AudioFixture extends AsyncDisposable {
  readonly audio: AudioDriver;
  readonly endFilm: () => Promise<void>;
}

/** Behaviour of every audio driver, including the fake one. */
function testAudioDriver(open: () => Promise<AudioFixture>): void {
  test('a playing session has its level and a colour, and can be set and muted', async () => {
    await using fixture = await open();
    const { audio } = fixture;
    expect(audio.ability).toEqual({ able: true });
    expect(findSession(audio, 'Film')).toMatchObject({ level: 40, muted: false, colour: /^#[\da-f]{6}$/ });
    const levels: (number | undefined)[] = [];
    audio.onChange(({ sessions }) => void levels.push(sessions.find(({ name }) => name === 'Film')?.level));
    expect(await audio.set('sessions', 'Film', { level: 25, muted: true })).toBe(true);
    expect(findSession(audio, 'Film')).toMatchObject({ level: 25, muted: true });
    expect(levels).toContain(25);
    expect(await audio.set('sessions', 'Film', { level: 25, muted: true }), 'again').toBe(true);
    expect(await audio.set('sessions', 'Film', { level: 0, muted: false })).toBe(true);
    await waitForLevel(audio, 'Film', 0);
  });

  test('outputs are set like sessions', async () => {
    await using fixture = await open();
    const [master] = fixture.audio.getState().outputs;
    expect(master?.name).toBe('Master');
    expect(await fixture.audio.set('outputs', 'Master', { level: 33, muted: true })).toBe(true);
    expect(fixture.audio.getState().outputs[0]).toMatchObject({ level: 33, muted: true });
  });

  test('unknown names and invalid levels are not set', async () => {
    await using fixture = await open();
    const { audio } = fixture;
    expect(await audio.set('sessions', 'Nothing', { level: 10, muted: false })).toBe(false);
    expect(await audio.set('outputs', 'Film', { level: 10, muted: false })).toBe(false);
    for (const level of [Number.NaN, -1, 101, Infinity])
      expect(await audio.set('sessions', 'Film', { level, muted: false }), String(level)).toBe(false);
    expect(findSession(audio, 'Film')?.level).toBe(40);
    await fixture.endFilm();
    await waitUntilGone(audio, 'Film');
    expect(await audio.set('sessions', 'Film', { level: 10, muted: false })).toBe(false);
  });
}

describe('the fake computer', () => {
  testAudioDriver(async () => {
    const drivers = createFakeDrivers();
    const outputs = [{ name: 'Master', level: 100, muted: false, colour: '#777777' }];
    drivers.play({ sessions: [{ name: 'Film', level: 40, muted: false, colour: '#336699' }], outputs });
    return {
      audio: drivers.audio,
      endFilm: async () => drivers.play({ sessions: [], outputs }),
      [Symbol.asyncDispose]: async () => undefined,
    };
  });
});

describe.each(soundServers)('%s', (server) => {
  const skipReason = getSoundSkipReason(server);
  describe.skipIf(skipReason)(skipReason ?? 'is available', () => {
    let sound: Promise<TestSoundServer> | undefined;
    const getSoundServer = (): Promise<TestSoundServer> => (sound ??= startSoundServer(server));
    afterAll(async () => (await sound)?.[Symbol.asyncDispose]());

    testAudioDriver(async () => {
      const soundServer = await getSoundServer();
      for (const output of ['speakers', 'headset']) await soundServer.runPactl('set-sink-volume', output, '100%');
      const film = await soundServer.playSilence('Film');
      await soundServer.runPactl('set-sink-input-volume', String(film.index), '40%');
      await soundServer.runPactl('set-sink-mute', 'speakers', '0');
      const audio = await openAudio(soundServer);
      await waitForLevel(audio, 'Film', 40);
      return {
        audio,
        endFilm: async () => film[Symbol.asyncDispose](),
        [Symbol.asyncDispose]: async () => {
          await audio[Symbol.asyncDispose]();
          await film[Symbol.asyncDispose]();
        },
      };
    });

    test('a film played by ffmpeg is a session like any other: reported, set, muted, removed', async () => {
      const soundServer = await getSoundServer();
      await using audio = await openAudio(soundServer);
      const film = await soundServer.playFilm('Evening film');
      await waitFor('it is reported', () => findSession(audio, 'Evening film') !== undefined);
      expect(await audio.set('sessions', 'Evening film', { level: 30, muted: true })).toBe(true);
      const { volume, muted } = await film.getInfo();
      expect([Math.round(((volume[0] ?? 0) * 100) / FULL_VOLUME), muted]).toEqual([30, true]);
      await film[Symbol.asyncDispose]();
      await waitUntilGone(audio, 'Evening film');
    });

    test('changes by others are followed; above 100 % the level is 100, and muting does not lower it', async () => {
      const soundServer = await getSoundServer();
      await using film = await soundServer.playSilence('Film');
      await using audio = await openAudio(soundServer);
      await soundServer.runPactl('set-sink-input-volume', String(film.index), '33%');
      await waitForLevel(audio, 'Film', 33);
      await soundServer.runPactl('set-sink-input-mute', String(film.index), '1');
      await waitForLevel(audio, 'Film', 33, true);
      await soundServer.runPactl('set-sink-input-volume', String(film.index), '140%');
      await waitForLevel(audio, 'Film', 100, true);
      await audio.set('sessions', 'Film', { level: 100, muted: false });
      const { volume, muted } = await film.getInfo();
      expect(Math.round(((volume[0] ?? 0) * 100) / FULL_VOLUME)).toBe(140);
      expect(muted).toBe(false);
    });

    test('the balance between left and right stays, also after silence', async () => {
      const soundServer = await getSoundServer();
      await using film = await soundServer.playSilence('Film');
      await soundServer.runPactl('set-sink-input-volume', String(film.index), '80%', '40%');
      await using audio = await openAudio(soundServer);
      await waitForLevel(audio, 'Film', 80);
      async function getRightPercent(): Promise<number> {
        const { volume } = await film.getInfo();
        return Math.round(((volume[1] ?? 0) * 100) / (volume[0] ?? 1));
      }
      await audio.set('sessions', 'Film', { level: 50, muted: false });
      await waitFor('half as loud on the right', async () => (await getRightPercent()) === 50);
      await audio.set('sessions', 'Film', { level: 0, muted: true });
      await audio.set('sessions', 'Film', { level: 60, muted: false });
      const { volume } = await film.getInfo();
      expect(Math.round(((volume[0] ?? 0) * 100) / FULL_VOLUME)).toBe(60);
      expect(await getRightPercent()).toBe(50);
    });

    test('streams of one application share a slider: the loudest level, muted if all are muted', async () => {
      const soundServer = await getSoundServer();
      await using left = await soundServer.playSilence('Browser');
      await using right = await soundServer.playSilence('Browser');
      await soundServer.runPactl('set-sink-input-volume', String(left.index), '20%');
      await soundServer.runPactl('set-sink-input-volume', String(right.index), '70%');
      await soundServer.runPactl('set-sink-input-mute', String(left.index), '1');
      await using audio = await openAudio(soundServer);
      await waitForLevel(audio, 'Browser', 70);
      await soundServer.runPactl('set-sink-input-mute', String(right.index), '1');
      await waitForLevel(audio, 'Browser', 70, true);
      await audio.set('sessions', 'Browser', { level: 30, muted: false });
      for (const one of [left, right]) {
        const { volume, muted } = await one.getInfo();
        expect(Math.round(((volume[0] ?? 0) * 100) / FULL_VOLUME)).toBe(30);
        expect(muted).toBe(false);
      }
      expect(audio.getState().sessions.filter(({ name }) => name === 'Browser')).toHaveLength(1);
    });

    test('the default output is first and follows the choice of the computer', async () => {
      const soundServer = await getSoundServer();
      await using audio = await openAudio(soundServer);
      const listNames = (): string =>
        audio
          .getState()
          .outputs.map(({ name }) => name)
          .join(', ');
      // Master has the name of the output it controls as its device; the others are named after theirs.
      const listDevices = () => audio.getState().outputs.map(({ device }) => device);
      await waitFor('the speakers lead', () => listNames() === 'Master, Headset');
      expect(listDevices()).toEqual(['Speakers', undefined]);
      await chooseOutput(soundServer, 'headset');
      await waitFor('the headset leads', () => listNames() === 'Master, Speakers');
      expect(listDevices()).toEqual(['Headset', undefined]);
      await chooseOutput(soundServer, 'speakers');
      await waitFor('the speakers lead', () => listNames() === 'Master, Headset');
    });

    test('sounds of the desktop itself have no slider', async () => {
      const soundServer = await getSoundServer();
      await using audio = await openAudio(soundServer);
      await using click = await soundServer.playSilence('Click', { properties: { 'media.role': 'event' } });
      await using film = await soundServer.playSilence('Film');
      await waitFor('the film appears', () => findSession(audio, 'Film'));
      expect(findSession(audio, 'Click')).toBeUndefined();
      expect(click.index).not.toBe(film.index);
    });

    test('uses are reported with the processes that may own their window', async () => {
      const soundServer = await getSoundServer();
      await using audio = await openAudio(soundServer);
      await waitFor('nothing plays any more', () => audio.listUses().length === 0);
      let changeCount = 0;
      audio.onUseChange(() => void (changeCount += 1));
      const listUses = (): readonly string[] =>
        audio.listUses().map(({ kind, session: name, program }) => `${name} by ${program} ${kind}`);
      await using click = await soundServer.playSilence('Click', { properties: { 'media.role': 'event' } });
      const film = await soundServer.playSilence('Film');
      await waitFor('the film is reported', () => listUses().length === 1);
      const call = await soundServer.record('Call');
      await waitFor('both are reported', () => listUses().length === 2);
      expect(listUses()).toEqual(['Film by pacat playing', 'Call by pacat recording']);
      for (const { lineage } of audio.listUses()) expect(lineage.slice(1, 2)).toEqual([process.pid]);
      await soundServer.runPactl('set-sink-input-volume', String(film.index), '41%');
      await waitForLevel(audio, 'Film', 41);
      await film[Symbol.asyncDispose]();
      await waitFor('one is left', () => listUses().length === 1);
      await call[Symbol.asyncDispose]();
      await waitFor('nothing is left', () => listUses().length === 0);
      expect(changeCount, 'a changed level is no change of use').toBe(4);
      expect(click.index).toBeGreaterThanOrEqual(0);
    });

    test('any name becomes one line without control characters', async () => {
      const soundServer = await getSoundServer();
      await using audio = await openAudio(soundServer);
      const names: readonly [string, string][] = [
        ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
        ['one\u0007two\u202Ethree\nfour', 'one two three four'],
        [`Ж${'x'.repeat(9999)}`, `Ж${'x'.repeat(98)}…`],
        ['__proto__', 'proto'],
        ['constructor', 'constructor'],
        ['👋 Grüße', '👋 Grüße'],
      ];
      for (const [raw, shown] of names) {
        await using playing = await soundServer.playSilence(raw);
        await waitFor(`${shown} appears`, () => findSession(audio, shown));
        expect(await audio.set('sessions', shown, { level: 12, muted: false }), shown).toBe(true);
        expect((await playing.getInfo()).volume[0]).toBeCloseTo(0.12 * FULL_VOLUME, -2);
      }
      await using hostile = await soundServer.playSilence('Nice', {
        properties: { '__proto__.polluted': 'yes', 'constructor.prototype.polluted': 'yes' },
      });
      await waitFor('it appears', () => findSession(audio, 'Nice'));
      expect(hostile.index).toBeGreaterThanOrEqual(0);
      expect(({} as { readonly polluted?: string }).polluted).toBeUndefined();
    });

    test('a stream that ends while it is set is no fault, and leaves no trace', async () => {
      const soundServer = await getSoundServer();
      await using audio = await openAudio(soundServer);
      const film = await soundServer.playSilence('Film');
      await waitFor('it appears', () => findSession(audio, 'Film'));
      const results = Array.from({ length: 50 }, (_, at) => audio.set('sessions', 'Film', { level: at, muted: false }));
      await film[Symbol.asyncDispose]();
      for (let at = 0; at < 50; at += 1) results.push(audio.set('sessions', 'Film', { level: at, muted: false }));
      expect((await Promise.all(results)).every((result) => typeof result === 'boolean')).toBe(true);
      await waitUntilGone(audio, 'Film');
    });

    test('a slider that is moved fast never jumps back, and ends where it was released', async () => {
      const soundServer = await getSoundServer();
      await using audio = await openAudio(soundServer);
      await using film = await soundServer.playSilence('Film');
      await waitFor('it appears', () => findSession(audio, 'Film'));
      await audio.set('sessions', 'Film', { level: 1, muted: false });
      const shown: number[] = [];
      audio.onChange(() => shown.push(findSession(audio, 'Film')?.level ?? -1));
      for (let level = 2; level <= 90; level += 1) await audio.set('sessions', 'Film', { level, muted: false });
      await waitForLevel(audio, 'Film', 90);
      expect(shown.at(-1)).toBe(90);
      expect(shown).toEqual(shown.toSorted((one, other) => one - other));
      expect((await film.getInfo()).volume[0]).toBeCloseTo(0.9 * FULL_VOLUME, -2);
    });

    test('a level that the user set is restored with the application, one that only others set is not', async () => {
      const soundServer = await getSoundServer();
      const stateDir = createTempFolderSync();
      {
        await using audio = await openAudio(soundServer, stateDir);
        await using film = await soundServer.playSilence('Film');
        await waitFor('it appears', () => findSession(audio, 'Film'));
        await audio.set('sessions', 'Film', { level: 35, muted: true });
        await using music = await soundServer.playSilence('Music');
        await waitFor('it appears', () => findSession(audio, 'Music'));
        expect(film.index).not.toBe(music.index);
      }
      const path = join(stateDir, 'levels.json');
      expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual([{ name: 'Film', level: 35, muted: true }]);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      await using restartedAudio = await openAudio(soundServer, stateDir);
      await using film = await soundServer.playSilence('Film');
      await waitForLevel(restartedAudio, 'Film', 35, true);
      await waitFor('it is restored', async () => (await film.getInfo()).muted);
      await using music = await soundServer.playSilence('Music');
      await waitFor('it appears', () => findSession(restartedAudio, 'Music'));
      expect((await music.getInfo()).muted).toBe(false);
    });

    test('a level that somebody else sets later replaces the stored one', async () => {
      const soundServer = await getSoundServer();
      const stateDir = createTempFolderSync();
      {
        await using audio = openPulseAudio({ env: soundServer.env, stateDir, settlingMs: 0 });
        await using film = await soundServer.playSilence('Film');
        await using music = await soundServer.playSilence('Music');
        await waitFor('both appear', () => findSession(audio, 'Film') && findSession(audio, 'Music'));
        await audio.set('sessions', 'Film', { level: 35, muted: false });
        await audio.set('sessions', 'Music', { level: 45, muted: false });
        await soundServer.runPactl('set-sink-input-volume', String(film.index), '80%');
        await waitForLevel(audio, 'Film', 80);
        expect(findSession(audio, 'Music')?.level, String(music.index)).toBe(45);
      }
      const stored = JSON.parse(readFileSync(join(stateDir, 'levels.json'), 'utf8')) as unknown;
      expect(stored).toEqual([{ name: 'Music', level: 45, muted: false }]);
    });

    test('a sound server that dies is reported, and found again with everything that plays then', async () => {
      const soundServer = await startSoundServer(server);
      onTestFinished(() => soundServer[Symbol.asyncDispose]());
      await using audio = await openAudio(soundServer);
      let changeCount = 0;
      audio.onAbilityChange(() => void (changeCount += 1));
      const film = await soundServer.playSilence('Film');
      await waitFor('it appears', () => findSession(audio, 'Film'));
      await audio.set('sessions', 'Film', { level: 20, muted: false });
      await soundServer.kill();
      await waitFor('it is lost', () => !audio.ability.able);
      expect(audio.listUses()).toEqual([]);
      expect(audio.ability).toMatchObject({ reason: expect.stringContaining('lost the sound server') });
      expect(audio.getState()).toEqual({ sessions: [], outputs: [] });
      expect(await audio.set('sessions', 'Film', { level: 10, muted: false })).toBe(false);
      await film[Symbol.asyncDispose]();
      await soundServer.start();
      await waitFor('it is found again', () => audio.ability.able);
      await using again = await soundServer.playSilence('Film');
      await waitForLevel(audio, 'Film', 20);
      await waitFor(
        'it is restored',
        async () => Math.round((((await again.getInfo()).volume[0] ?? 0) * 100) / FULL_VOLUME) === 20,
      );
      expect(changeCount).toBe(2);
    });
  });
});

test('without a sound server this is reported immediately, and a damaged level file is replaced', async () => {
  const stateDir = createTempFolderSync();
  writeFileSync(join(stateDir, 'levels.json'), '{"no": ');
  for (const env of [{}, { XDG_RUNTIME_DIR: stateDir }, { PULSE_SERVER: 'tcp:127.0.0.1:1' }]) {
    await using audio = openPulseAudio({ env, stateDir });
    expect(audio.ability).toEqual({ able: false, reason: expect.stringContaining('No sound server') });
    expect(audio.getState()).toEqual({ sessions: [], outputs: [] });
    expect(await audio.set('sessions', 'Film', { level: 1, muted: false })).toBe(false);
  }
});
