import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeDesktop } from '#testing/desktops/describeDesktop.ts';
import type { createFakeCoreAudio, FakeState } from '#testing/kits/desktop/fakeCoreAudio.ts';
import {
  getWineSkipReason,
  startWindows,
  WINDOWS_START_TIMEOUT_MS,
  toWindowsUrl,
  type WindowsDesktop,
} from '#testing/kits/desktop/wine.ts';
import type { openWindowsAudio } from './audio.ts';
import type { openCom } from './com.ts';
import type { createSoundSystem, openCoreAudio, SoundSystem } from './coreAudio.ts';

const MODULES = ['com.ts', 'coreAudio.ts', 'audio.ts'].map((name) => resolve(import.meta.dirname, name));

const STATE: FakeState = {
  outputs: [
    { id: '{0.0.0}.{hdmi}', name: 'TV (HDMI)', level: 1, isMuted: false, sessions: [] },
    {
      id: '{0.0.0}.{speakers}',
      name: 'Lautsprecher (Größe 👋)',
      level: 0.5,
      isMuted: false,
      sessions: [
        { id: 'player', name: 'Player', pid: 1, level: 0.25, isMuted: false, state: 1, isSystemSound: false },
        { id: 'browser', name: '', pid: 2, level: 0.8, isMuted: true, state: 0, isSystemSound: false },
        { id: 'system', name: '@%SystemRoot%', pid: 0, level: 1, isMuted: false, state: 1, isSystemSound: true },
        { id: 'ended', name: 'Ended', pid: 3, level: 1, isMuted: false, state: 2, isSystemSound: false },
      ],
    },
  ],
  recorders: [
    {
      id: '{0.0.1}.{microphone}',
      name: 'Microphone',
      level: 1,
      isMuted: false,
      sessions: [{ id: 'call', name: 'Call', pid: 4, level: 1, isMuted: false, state: 1, isSystemSound: false }],
    },
  ],
  defaultOutput: 1,
};

describeDesktop('Core Audio', { missing: getWineSkipReason(), isExtra: true }, () => {
  let windows: WindowsDesktop;
  beforeAll(async () => {
    windows = await startWindows();
    const fakePath = resolve(import.meta.dirname, '../../../../testing/kits/desktop/fakeCoreAudio.ts');
    await windows.run(
      async ({ values, import: load }, paths, state) => {
        const [com, coreAudio, audio, fake] = await Promise.all(paths.map((path) => load(path)));
        const { openCom: open } = com as unknown as { readonly openCom: typeof openCom };
        const create = coreAudio as unknown as {
          readonly createSoundSystem: typeof createSoundSystem;
          readonly openCoreAudio: typeof openCoreAudio;
        };
        const { createFakeCoreAudio: createFake } = fake as unknown as {
          readonly createFakeCoreAudio: typeof createFakeCoreAudio;
        };
        const coreAudioFake = createFake(state);
        values.set('state', state);
        values.set('fake', coreAudioFake);
        values.set('sound', create.createSoundSystem(open(), coreAudioFake.enumerator));
        values.set('openCoreAudio', create.openCoreAudio);
        values.set('audio', audio);
      },
      [...MODULES, fakePath].map(toWindowsUrl),
      STATE,
    );
  }, WINDOWS_START_TIMEOUT_MS);
  afterAll(async () => windows?.[Symbol.asyncDispose]());

  test('outputs, sessions and recordings are read, without sounds of the system and those that have ended', async () => {
    const [snapshot, references, readMs] = await windows.run(({ values }) => {
      const sound = values.get('sound') as SoundSystem;
      const startedAt = performance.now();
      const read = sound.read();
      return [
        read,
        (values.get('fake') as ReturnType<typeof createFakeCoreAudio>).countReferences(),
        performance.now() - startedAt,
      ] as const;
    });
    expect(snapshot).toEqual({
      outputs: [
        { id: '{0.0.0}.{hdmi}', name: 'TV (HDMI)', level: 1, isMuted: false, isDefault: false },
        { id: '{0.0.0}.{speakers}', name: 'Lautsprecher (Größe 👋)', level: 0.5, isMuted: false, isDefault: true },
      ],
      sessions: [
        { id: 'player', name: 'Player', pid: 1, level: 0.25, isMuted: false, isActive: true },
        { id: 'browser', name: '', pid: 2, level: expect.closeTo(0.8), isMuted: true, isActive: false },
      ],
      recordings: [{ id: 'call', name: 'Call', pid: 4, level: 1, isMuted: false, isActive: true }],
    });
    expect(references).toBe(0);
    process.stdout.write(`the sound was read in ${readMs.toFixed(1)} ms\n`);
  });

  test('levels are set on the right output and session, and what is gone fails', async () => {
    const result = await windows.run(({ values }) => {
      const sound = values.get('sound') as SoundSystem;
      sound.setOutput('{0.0.0}.{hdmi}', { level: 0.37, isMuted: true });
      sound.setSession('browser', { level: 0.5, isMuted: false });
      const failures = ['setOutput', 'setSession'].map((name) => {
        try {
          sound[name as 'setOutput']('nothing', { level: 1, isMuted: false });
          return '';
        } catch (error) {
          return (error as Error).message;
        }
      });
      const references = (values.get('fake') as ReturnType<typeof createFakeCoreAudio>).countReferences();
      return { outputs: (values.get('state') as FakeState).outputs, failures, references };
    });
    const [hdmi, speakers] = result.outputs;
    expect(hdmi).toMatchObject({ level: expect.closeTo(0.37), isMuted: true });
    expect(speakers).toMatchObject({ level: 0.5, isMuted: false });
    expect(speakers?.sessions.map(({ level, isMuted }) => [level, isMuted])).toEqual([
      [0.25, false],
      [0.5, false],
      [1, false],
      [1, false],
    ]);
    expect(result.failures).toEqual(['the output is gone', 'the session is gone']);
    expect(result.references).toBe(0);
  });

  test('the driver shows and sets these levels, and notices changes by others', async () => {
    const result = await windows.run(async ({ values, sleep }) => {
      const { openWindowsAudio: open } = values.get('audio') as { readonly openWindowsAudio: typeof openWindowsAudio };
      const state = values.get('state') as FakeState;
      const audio = open({
        openSound: () => ({ ...(values.get('sound') as SoundSystem), [Symbol.dispose]: () => undefined }),
        processes: { getProgramName: (pid) => `program${pid}`, listAncestors: (pid) => [pid, 99] },
        readIntervalMs: 50,
      });
      const first = audio.getState();
      const uses = audio.listUses();
      const isSet = [
        await audio.set('outputs', 'Master', { level: 12, muted: true }),
        await audio.set('sessions', 'Player', { level: 100, muted: false }),
        await audio.set('sessions', 'Nobody', { level: 100, muted: false }),
        await audio.set('sessions', 'Player', { level: 101, muted: false }),
      ];
      const heard: unknown[] = [];
      audio.onChange((changed) => heard.push(changed.sessions.map(({ name, level }) => [name, level])));
      const session = state.outputs[1]?.sessions[1];
      if (session) session.level = 0.1;
      for (let attempt = 0; attempt < 500 && heard.length === 0; attempt++) await sleep(20);
      await audio[Symbol.asyncDispose]();
      return { first, uses, isSet, heard, output: state.outputs[1], ability: audio.ability };
    });
    expect(result.first.outputs.map(({ name, level, device }) => [name, level, device])).toEqual([
      ['Master', 50, 'Lautsprecher (Größe 👋)'],
      ['TV (HDMI)', 37, undefined],
    ]);
    expect(result.first.sessions.map(({ name, level, muted }) => [name, level, muted])).toEqual([
      ['Player', 25, false],
      ['program2', 50, false],
    ]);
    expect(result.uses).toEqual([
      { kind: 'playing', session: 'Player', lineage: [1, 99], program: 'program1' },
      { kind: 'recording', session: 'Call', lineage: [4, 99], program: 'program4' },
    ]);
    expect(result.isSet).toEqual([true, true, false, false]);
    expect(result.output).toMatchObject({ level: expect.closeTo(0.12), isMuted: true });
    expect(result.heard).toEqual([
      [
        ['Player', 100],
        ['program2', 10],
      ],
    ]);
    expect(result.ability).toEqual({ able: true });
  });

  test('Wine’s own sound system answers, or says that there is none', async () => {
    const names = await windows.run(({ values }) => {
      try {
        const sound = (values.get('openCoreAudio') as typeof openCoreAudio)();
        const outputs = sound.read().outputs.map(({ name }) => name);
        sound[Symbol.dispose]();
        return outputs;
      } catch (error) {
        return (error as Error).message;
      }
    });
    process.stdout.write(`outputs of Wine: ${JSON.stringify(names)}\n`);
    expect(Array.isArray(names) || names.includes('failed with')).toBe(true);
  });
});
