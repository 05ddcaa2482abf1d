import { expect, test } from 'vitest';
import type { AudioDriver } from '#platform/agent/drivers/drivers.ts';
import { createLevelSetter } from './index.ts';

const createLevel = (level: number) => ({ level, muted: false });

/** Creates an audio driver whose calls finish when the test says so. */
function createSlowAudio() {
  const calls: [string, string, number][] = [];
  const resolvers: ((done: boolean) => void)[] = [];
  const audio: AudioDriver = {
    ability: { able: true },
    getState: () => ({ sessions: [], outputs: [] }),
    set: (group, name, { level }) => {
      calls.push([group, name, level]);
      return new Promise((resolve) => resolvers.push(resolve));
    },
    onChange: () => undefined,
    listUses: () => [],
    onUseChange: () => undefined,
  };
  return {
    audio,
    calls,
    finishCalls: async () => {
      for (const resolve of resolvers.splice(0)) resolve(true);
      await new Promise((done) => setImmediate(done));
    },
  };
}

test('of the levels that arrive while others are being set, the newest of each name is set afterwards', async () => {
  const { audio, calls, finishCalls } = createSlowAudio();
  const setter = createLevelSetter(audio, () => undefined);
  for (let level = 1; level <= 50; level += 1) setter.set({ sessions: { Film: createLevel(level) }, outputs: {} });
  setter.set({ sessions: { Music: createLevel(7) }, outputs: { Speakers: createLevel(8) } });
  expect(calls).toEqual([['sessions', 'Film', 1]]);
  await finishCalls();
  expect(calls.slice(1)).toEqual([
    ['sessions', 'Film', 50],
    ['sessions', 'Music', 7],
    ['outputs', 'Speakers', 8],
  ]);
  await finishCalls();
  setter.set({ sessions: { Film: createLevel(9) }, outputs: {} });
  expect(calls.at(-1)).toEqual(['sessions', 'Film', 9]);
});

test('a fault is printed, and the next level is set', async () => {
  const lines: string[] = [];
  const { audio } = createSlowAudio();
  let isBroken = true;
  const setter = createLevelSetter(
    { ...audio, set: () => (isBroken ? Promise.reject(new Error('broken')) : Promise.resolve(true)) },
    (line) => void lines.push(line),
  );
  setter.set({ sessions: { Film: createLevel(1) }, outputs: {} });
  await new Promise((done) => setImmediate(done));
  expect(lines).toEqual(['Could not set a volume: Error: broken']);
  isBroken = false;
  setter.set({ sessions: { Film: createLevel(2) }, outputs: {} });
  await new Promise((done) => setImmediate(done));
  expect(lines).toHaveLength(1);
});
