import { expect, onTestFinished, test } from 'vitest';
import { openWindowsAudio } from './audio.ts';
import type { SoundOutput, SoundSession, SoundSnapshot, SoundSystem } from './coreAudio.ts';

const SPEAKERS: SoundOutput = { id: 's', name: 'Speakers', isDefault: true, level: 0.5, isMuted: false };
const TV: SoundOutput = { id: 't', name: 'TV', isDefault: false, level: 1, isMuted: true };
const createSession = (id: string, changes: Partial<SoundSession> = {}): SoundSession => ({
  id,
  name: '',
  pid: 1,
  isActive: true,
  level: 0.5,
  isMuted: false,
  ...changes,
});

/** A sound system in memory. The real one is tested in audio.desktop.ts. */
function createSound(snapshot: SoundSnapshot) {
  let current = snapshot;
  let isBroken = false;
  let disposeCount = 0;
  const sets: string[] = [];
  const sound: SoundSystem = {
    read: () => {
      if (isBroken) throw new Error('Windows Audio has stopped');
      return current;
    },
    setOutput: (id, { level, isMuted }) => void sets.push(`${id} ${level} ${isMuted}`),
    setSession: (id, { level, isMuted }) => {
      if (id === 'gone') throw new Error('the session is gone');
      sets.push(`${id} ${level} ${isMuted}`);
    },
    [Symbol.dispose]: () => void (disposeCount += 1),
  };
  const audio = openWindowsAudio({
    openSound: () => sound,
    processes: { getProgramName: (pid) => `program${pid}`, listAncestors: (pid) => [pid] },
    readIntervalMs: 10,
  });
  onTestFinished(() => audio[Symbol.asyncDispose]());
  return {
    audio,
    sets,
    setSnapshot: (next: SoundSnapshot) => {
      current = next;
    },
    breakDown: () => {
      isBroken = true;
    },
    getDisposeCount: () => disposeCount,
  };
}

test('the default output is the master, and programs have one slider each', () => {
  const { audio } = createSound({
    outputs: [TV, SPEAKERS],
    sessions: [
      createSession('a', { level: 0.004, isMuted: true }),
      createSession('b', { level: 0.2 }),
      createSession('c', { name: 'Player', pid: 2, level: 0 }),
      createSession('d', { name: '@%SystemRoot%\\x.dll,-1', pid: 3, isMuted: true }),
    ],
    recordings: [],
  });
  const { outputs, sessions } = audio.getState();
  expect(outputs).toMatchObject([
    { name: 'Master', level: 50, muted: false, device: 'Speakers' },
    { name: 'TV', level: 100, muted: true },
  ]);
  expect(sessions.map(({ name, level, muted }) => [name, level, muted])).toEqual([
    ['program1', 20, false],
    ['Player', 0, false],
    ['program3', 50, true],
  ]);
  expect(sessions.every(({ colour }) => /^#[\da-f]{6}$/.test(colour))).toBe(true);
});

test('a level is set on all sounds of a program, and shown at once', async () => {
  const { audio, sets } = createSound({
    outputs: [SPEAKERS],
    sessions: [createSession('a'), createSession('b'), createSession('gone', { name: 'Gone' })],
    recordings: [],
  });
  const heard: unknown[] = [];
  audio.onChange(({ sessions }) => heard.push(sessions[0]?.level));
  expect(await audio.set('sessions', 'program1', { level: 30, muted: true })).toBe(true);
  expect(await audio.set('outputs', 'Master', { level: 0, muted: false })).toBe(true);
  expect(await audio.set('sessions', 'Gone', { level: 30, muted: true })).toBe(false);
  expect(await audio.set('sessions', 'Nobody', { level: 30, muted: true })).toBe(false);
  expect(await audio.set('sessions', 'program1', { level: Number.NaN, muted: true })).toBe(false);
  expect(sets).toEqual(['a 0.3 true', 'b 0.3 true', 's 0 false']);
  expect(heard[0]).toBe(30);
});

test('who plays and who records is reported, and only when it changes', async () => {
  const quiet = { outputs: [SPEAKERS], sessions: [createSession('a', { isActive: false })], recordings: [] };
  const { audio, setSnapshot } = createSound(quiet);
  let changeCount = 0;
  audio.onUseChange(() => (changeCount += 1));
  expect(audio.listUses()).toEqual([]);
  setSnapshot({ ...quiet, sessions: [createSession('a')], recordings: [createSession('call', { pid: 7 })] });
  await expect.poll(() => changeCount).toBe(1);
  expect(audio.listUses()).toEqual([
    { kind: 'playing', session: 'program1', lineage: [1], program: 'program1' },
    { kind: 'recording', session: 'program7', lineage: [7], program: 'program7' },
  ]);
  setSnapshot(quiet);
  await expect.poll(() => changeCount).toBe(2);
  expect(audio.listUses()).toEqual([]);
});

test('without an output there is a reason, and a sound system that stops is noticed', async () => {
  const silent = createSound({ outputs: [], sessions: [], recordings: [] });
  expect(silent.audio.ability).toEqual({ able: false, reason: expect.stringContaining('no sound output') });
  expect(silent.getDisposeCount()).toBe(1);
  const { audio, breakDown, getDisposeCount } = createSound({ outputs: [SPEAKERS], sessions: [], recordings: [] });
  const changes: boolean[] = [];
  audio.onAbilityChange(() => changes.push(audio.ability.able));
  expect(audio.ability.able).toBe(true);
  breakDown();
  await expect.poll(() => changes).toEqual([false]);
  expect(audio.getState()).toEqual({ sessions: [], outputs: [] });
  expect(getDisposeCount()).toBe(1);
});
