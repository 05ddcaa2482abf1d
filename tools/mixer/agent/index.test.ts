import { expect, test } from 'vitest';
import type { AudioDriver } from '#platform/agent/drivers/drivers.ts';
import { createSetter } from './index.ts';

const to = (level: number) => ({ level, muted: false });

/** Sound that sets nothing until the test continues it. */
const createSlowAudio = () => {
  const set: [string, string, number][] = [];
  const waiting: ((done: boolean) => void)[] = [];
  const audio: AudioDriver = {
    ability: { able: true },
    getState: () => ({ sessions: [], outputs: [] }),
    set: (group, name, { level }) => {
      set.push([group, name, level]);
      return new Promise((resolve) => waiting.push(resolve));
    },
    onChange: () => undefined,
    listUses: () => [],
    onUseChange: () => undefined,
  };
  return {
    audio,
    set,
    goOn: async () => {
      for (const resolve of waiting.splice(0)) resolve(true);
      await new Promise((done) => setImmediate(done));
    },
  };
};

test('levels that arrive while others are being set are set afterwards, the newest of each name', async () => {
  const { audio, set, goOn } = createSlowAudio();
  const setter = createSetter(audio, () => undefined);
  for (let level = 1; level <= 50; level += 1) setter.set({ sessions: { Film: to(level) }, outputs: {} });
  setter.set({ sessions: { Music: to(7) }, outputs: { Speakers: to(8) } });
  expect(set).toEqual([['sessions', 'Film', 1]]);
  await goOn();
  expect(set.slice(1)).toEqual([
    ['sessions', 'Film', 50],
    ['sessions', 'Music', 7],
    ['outputs', 'Speakers', 8],
  ]);
  await goOn();
  setter.set({ sessions: { Film: to(9) }, outputs: {} });
  expect(set.at(-1)).toEqual(['sessions', 'Film', 9]);
});

test('a fault is printed, and the next level is set', async () => {
  const lines: string[] = [];
  const { audio } = createSlowAudio();
  let isBroken = true;
  const setter = createSetter(
    { ...audio, set: () => (isBroken ? Promise.reject(new Error('broken')) : Promise.resolve(true)) },
    (line) => void lines.push(line),
  );
  setter.set({ sessions: { Film: to(1) }, outputs: {} });
  await new Promise((done) => setImmediate(done));
  expect(lines).toEqual(['Could not set a volume: Error: broken']);
  isBroken = false;
  setter.set({ sessions: { Film: to(2) }, outputs: {} });
  await new Promise((done) => setImmediate(done));
  expect(lines).toHaveLength(1);
});
