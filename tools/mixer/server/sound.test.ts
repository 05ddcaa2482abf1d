import { describe, expect, test } from 'vitest';
import { createFakeDrivers } from '#platform/agent/drivers/fakeDrivers.ts';
import { openPulseAudio } from '#platform/agent/drivers/pulse/pulseAudio.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { getSoundSkipReason, soundServers, startSoundServer, type SoundServer } from '#testing/kits/desktop/sound.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { openSocket, type TestSocket } from '#testing/kits/server/socket.ts';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { audioset, mixerargs, setvolumefront } from '../contract.ts';

/** Sets up a computer with real sound, on which 'Film' plays, and two pages that show its level. */
async function startSetup(kind: SoundServer) {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startServer());
  const anna = await server.createAccount('anna');
  const sound = stack.use(await startSoundServer(kind));
  const film = stack.use(await sound.playSilence('Film'));
  const stateDir = createTempFolderSync();
  const audio = stack.use(openPulseAudio({ env: sound.env, stateDir }));
  const computer = stack.use(await startDevice(server, anna, { drivers: { ...createFakeDrivers(), audio } }));
  audio.onAbilityChange(computer.agent.sendDescription);
  // The sound server may have been detected before the listener was added.
  computer.agent.sendDescription();
  async function openPage() {
    const levels: number[] = [];
    const socket: TestSocket = stack.use(
      await openSocket(server, {
        token: anna.token,
        takes: { [setvolumefront.name]: () => undefined },
      }),
    );
    socket.raw.off(setvolumefront.name).on(setvolumefront.name, (data, _about, acknowledge) => {
      const level: unknown = data.Film?.level;
      if (typeof level === 'number') levels.push(level);
      acknowledge();
    });
    return { ...socket, levels };
  }
  const [first, second] = [await openPage(), await openPage()];
  async function getKnownLevel(): Promise<number | undefined> {
    const { data } = await anna.call(mixerargs, { type: 'client' });
    return data['Film']?.level;
  }
  await waitFor('the film is known', async () => (await getKnownLevel().catch(() => undefined)) !== undefined);
  async function getPlayedLevel(): Promise<number> {
    const stream = (await sound.listStreams()).at(-1);
    return Math.round(((stream?.volume[0] ?? 0) * 100) / 65_536);
  }
  const disposables = stack.move();
  return {
    sound,
    film,
    first,
    second,
    getKnownLevel,
    getPlayedLevel,
    anna,
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}
const createRequest = (level: number, muted = false) => ({ audio: { Film: { level, muted } } });

describe.each(soundServers)('%s', (kind) => {
  const skipReason = getSoundSkipReason(kind);
  describe.skipIf(skipReason)(skipReason ?? 'is available', () => {
    test('two pages and the computer set one volume concurrently: all end with the last level', async () => {
      await using setup = await startSetup(kind);
      const { sound, film, first, second, getKnownLevel, getPlayedLevel } = setup;
      const waitForLevel = (level: number): Promise<unknown> =>
        waitFor(`${level} is the level everywhere`, async () => {
          const levels = [await getPlayedLevel(), await getKnownLevel(), first.levels.at(-1), second.levels.at(-1)];
          return levels.every((each) => each === level);
        });
      for (let step = 1; step <= 30; step += 1) {
        first.raw.emit(audioset.name, createRequest(step));
        second.raw.emit(audioset.name, createRequest(100 - step));
        if (step % 10 === 0) await sound.runPactl('set-sink-input-volume', String(film.index), `${40 + step}%`);
      }
      await Promise.all([first, second].map((page) => page.request(audioset, createRequest(20))));
      await first.request(audioset, createRequest(77));
      await waitForLevel(77);
      await sound.runPactl('set-sink-input-volume', String(film.index), '11%');
      await waitForLevel(11);
      await second.request(audioset, createRequest(12));
      await waitForLevel(12);
      const count = first.levels.length;
      await second.request(audioset, createRequest(12));
      await first.request(audioset, createRequest(13));
      await waitForLevel(13);
      expect(first.levels.slice(count), 'a repeated setting is not published').toEqual([13]);
    });

    test('a slider moved on one page never jumps back on the other', async () => {
      await using setup = await startSetup(kind);
      const { first, second, getPlayedLevel } = setup;
      await first.request(audioset, createRequest(1));
      await waitFor('the other page has the level', () => second.levels.at(-1) === 1);
      const before = second.levels.length;
      for (let level = 2; level <= 95; level += 1) await first.request(audioset, createRequest(level));
      await waitFor('the last level has arrived', () => second.levels.at(-1) === 95);
      const received = second.levels.slice(before);
      expect(received).toEqual(received.toSorted((one, other) => one - other));
      expect(await getPlayedLevel()).toBe(95);
    });

    test('mute is independent of the level, and shared with the computer’s own mixer', async () => {
      await using setup = await startSetup(kind);
      const { sound, film, first, anna } = setup;
      await first.request(audioset, createRequest(42, true));
      await waitFor('it is muted', async () => (await film.getInfo()).muted);
      await sound.runPactl('set-sink-input-mute', String(film.index), '0');
      await waitFor('it is not muted any more', async () => {
        const { data } = await anna.call(mixerargs, { type: 'client' });
        return data['Film']?.muted === false && data['Film'].level === 42;
      });
    });

    test('a sound server that dies is reported on the page, and sessions that play afterwards appear again', async () => {
      await using setup = await startSetup(kind);
      const { sound, first, anna, getKnownLevel } = setup;
      await first.request(audioset, createRequest(30));
      await sound.kill();
      await waitFor('the problem is reported', async () => {
        const answer = await anna.call(mixerargs, { type: 'client' }).catch((error: Error) => error.message);
        return typeof answer === 'string' && answer.includes('lost the sound server');
      });
      await expect(first.request(audioset, createRequest(31))).rejects.toThrow('lost the sound server');
      await sound.start();
      await using restarted = await sound.playSilence('Film');
      await waitFor(
        'the session has its level again',
        async () => (await getKnownLevel().catch(() => undefined)) === 30,
      );
      expect(restarted.index).toBeGreaterThanOrEqual(0);
    });
  });
});
