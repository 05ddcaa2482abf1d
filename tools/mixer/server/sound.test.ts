import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createFakeDrivers } from '#platform/agent/drivers/fakeDrivers.ts';
import { openPulseAudio } from '#platform/agent/drivers/pulse/pulseAudio.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { getSoundSkipReason, soundServers, startSoundServer, type SoundServer } from '#testing/kits/desktop/sound.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { openSocket, type TestSocket } from '#testing/kits/server/socket.ts';
import { audioset, mixerargs, setvolumefront } from '../contract.ts';

/** A computer with real sound, on which 'Film' plays, and two pages that show its level. */
const startHouse = async (kind: SoundServer) => {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startServer());
  const anna = await server.createAccount('anna');
  const sound = stack.use(await startSoundServer(kind));
  const film = stack.use(await sound.playSilence('Film'));
  const stateDir = mkdtempSync(join(tmpdir(), 'pegboard-mixer-'));
  onTestFinished(() => rmSync(stateDir, { recursive: true }));
  const audio = stack.use(openPulseAudio({ env: sound.env, stateDir }));
  const computer = stack.use(await startDevice(server, anna, { drivers: { ...createFakeDrivers(), audio } }));
  audio.onAbilityChange(computer.agent.sendDescription);
  // The sound server may have been found before the test listened.
  computer.agent.sendDescription();
  const openPage = async () => {
    const levels: number[] = [];
    const socket: TestSocket = stack.use(
      await openSocket(server, {
        token: anna.token,
        takes: { [setvolumefront.name]: () => undefined },
      }),
    );
    socket.raw.off(setvolumefront.name).on(setvolumefront.name, (data, _about, taken) => {
      const level: unknown = data.Film?.level;
      if (typeof level === 'number') levels.push(level);
      taken();
    });
    return { ...socket, levels };
  };
  const [first, second] = [await openPage(), await openPage()];
  const known = async (): Promise<number | undefined> => {
    const { data } = await anna.call(mixerargs, { type: 'client' });
    return data['Film']?.level;
  };
  await waitFor('the film is known', async () => (await known().catch(() => undefined)) !== undefined);
  const received = async (): Promise<number> => {
    const found = (await sound.listStreams()).at(-1);
    return Math.round(((found?.volume[0] ?? 0) * 100) / 65_536);
  };
  const resources = stack.move();
  return {
    sound,
    film,
    first,
    second,
    known,
    heard: received,
    anna,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
const filmAt = (level: number, muted = false) => ({ audio: { Film: { level, muted } } });

describe.each(soundServers)('%s', (kind) => {
  const skipReason = getSoundSkipReason(kind);
  describe.skipIf(skipReason)(skipReason ?? 'is there', () => {
    test('two pages and the computer set one volume concurrently: all end with the last level', async () => {
      await using house = await startHouse(kind);
      const { sound, film, first, second, known, heard: received } = house;
      const everywhere = (level: number): Promise<unknown> =>
        waitFor(`${level} stands everywhere`, async () => {
          const there = [await received(), await known(), first.levels.at(-1), second.levels.at(-1)];
          return there.every((one) => one === level);
        });
      for (let round = 1; round <= 30; round += 1) {
        first.raw.emit(audioset.name, filmAt(round));
        second.raw.emit(audioset.name, filmAt(100 - round));
        if (round % 10 === 0) await sound.runPactl('set-sink-input-volume', String(film.index), `${40 + round}%`);
      }
      await Promise.all([first, second].map((page) => page.request(audioset, filmAt(20))));
      await first.request(audioset, filmAt(77));
      await everywhere(77);
      await sound.runPactl('set-sink-input-volume', String(film.index), '11%');
      await everywhere(11);
      await second.request(audioset, filmAt(12));
      await everywhere(12);
      const count = first.levels.length;
      await second.request(audioset, filmAt(12));
      await first.request(audioset, filmAt(13));
      await everywhere(13);
      expect(first.levels.slice(count), 'what was set again is no news').toEqual([13]);
    });

    test('a slider moved on one page never jumps back on the other', async () => {
      await using house = await startHouse(kind);
      const { first, second, heard: received } = house;
      await first.request(audioset, filmAt(1));
      await waitFor('it stands', () => second.levels.at(-1) === 1);
      const before = second.levels.length;
      for (let level = 2; level <= 95; level += 1) await first.request(audioset, filmAt(level));
      await waitFor('it has come', () => second.levels.at(-1) === 95);
      const seen = second.levels.slice(before);
      expect(seen).toEqual(seen.toSorted((one, other) => one - other));
      expect(await received()).toBe(95);
    });

    test('mute is independent of the level, and shared with the computer’s own mixer', async () => {
      await using house = await startHouse(kind);
      const { sound, film, first, anna } = house;
      await first.request(audioset, filmAt(42, true));
      await waitFor('it is muted', async () => (await film.getInfo()).muted);
      await sound.runPactl('set-sink-input-mute', String(film.index), '0');
      await waitFor('it is not muted any more', async () => {
        const { data } = await anna.call(mixerargs, { type: 'client' });
        return data['Film']?.muted === false && data['Film'].level === 42;
      });
    });

    test('a sound server that dies is reported on the page, and sessions that play afterwards appear again', async () => {
      await using house = await startHouse(kind);
      const { sound, first, anna, known } = house;
      await first.request(audioset, filmAt(30));
      await sound.kill();
      await waitFor('it is said', async () => {
        const answer = await anna.call(mixerargs, { type: 'client' }).catch((error: Error) => error.message);
        return typeof answer === 'string' && answer.includes('lost the sound server');
      });
      await expect(first.request(audioset, filmAt(31))).rejects.toThrow('lost the sound server');
      await sound.start();
      await using again = await sound.playSilence('Film');
      await waitFor('it is there again, as it was set', async () => (await known().catch(() => undefined)) === 30);
      expect(again.index).toBeGreaterThanOrEqual(0);
    });
  });
});
