import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Drivers } from '#platform/agent/drivers/drivers.ts';
import { createFakeDrivers } from '#platform/agent/drivers/fakeDrivers.ts';
import { openSystemDrivers } from '#platform/agent/drivers/systemDrivers.ts';
import { createHotkeyShares } from '#platform/agent/hotkeyShares.ts';
import type { AgentContext } from '#platform/agent/tool.ts';
import { waitFor, startDesktop } from '#testing/kits/desktop/desktop.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { getSoundSkipReason, startSoundServer } from '#testing/kits/desktop/sound.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { getSkipReason } from '#testing/machine.ts';
import {
  applicationcatinfo,
  hotkeysRequest,
  hotkeyRefusals,
  modifyapplicationcatinfo,
  reportusage,
} from '../contract.ts';
import type { HotkeyCategory, RefusedHotkey } from '../sorting/domain/categoryHotkeys.ts';
import { startHotkeys } from './hotkeys.ts';

const NONE = { up: '', down: '', mute: '' };
const createGames = (keys: Partial<HotkeyCategory>): HotkeyCategory => ({
  name: 'Games',
  ...NONE,
  applications: ['Doom'],
  ...keys,
});

const waitForPromises = (): Promise<void> => new Promise((done) => setImmediate(done));

interface KitOptions {
  readonly stateDir?: string;
  readonly allowed?: Partial<AgentContext['allowed']>;
}

/** Starts the agent half on these drivers, with a server that answers with `categories` unless it is offline. */
function startKit(drivers: Drivers, { stateDir = createTempFolderSync(), allowed = {} }: KitOptions = {}) {
  const connectListeners: (() => void)[] = [];
  const disconnectListeners: (() => void)[] = [];
  const received: (readonly RefusedHotkey[])[] = [];
  const printed: string[] = [];
  const server: { categories: readonly HotkeyCategory[]; isAway: boolean } = { categories: [], isAway: false };
  const changeListeners: (() => void)[] = [];
  let isPaused = false;
  const context = {
    drivers,
    allowed: { keyboard: true, sound: true, ...allowed },
    stateDir,
    print: (line: string) => void printed.push(line),
    openHotkeys: createHotkeyShares(drivers.hotkeys).open,
    isPaused: () => isPaused,
    onChange: (listener: () => void) => void changeListeners.push(listener),
    onConnect: (listener: () => void) => void connectListeners.push(listener),
    onDisconnect: (listener: () => void) => void disconnectListeners.push(listener),
    report: (event: unknown, data: { readonly refused: readonly RefusedHotkey[] }) => {
      if (server.isAway) return Promise.reject(new Error('away'));
      if (event === hotkeyRefusals) received.push(data.refused);
      return Promise.resolve(event === hotkeysRequest ? { categories: server.categories } : {});
    },
  } as unknown as AgentContext;
  const hotkeys = startHotkeys(context);
  onTestFinished(async () => hotkeys.stop?.());
  return {
    server,
    received,
    printed,
    stateDir,
    status: () => hotkeys.status?.() ?? [],
    stop: async () => hotkeys.stop?.(),
    connect: async () => {
      for (const listener of connectListeners) listener();
      await waitForPromises();
    },
    pause: async (on: boolean) => {
      isPaused = on;
      for (const listener of changeListeners) listener();
      await waitForPromises();
    },
    /** Sends changed hotkeys from the server. */
    change: async (...categories: readonly HotkeyCategory[]) => {
      hotkeys.events?.[0]?.run({ categories } as never);
      await waitForPromises();
    },
  };
}

const createSound = (name: string, level: number) => ({ name, level, muted: false, colour: '#336699' });

test('hotkeys change the sounds of their category’s applications, and no others', async () => {
  const drivers = createFakeDrivers();
  drivers.showWindows([{ id: 1, application: 'Doom', pid: 10 }]);
  drivers.setSoundUses([{ kind: 'playing', session: 'Sound of doom', lineage: [11, 10], program: 'wine' }]);
  drivers.play({
    sessions: [createSound('Sound of doom', 50), createSound('DOOM', 98), createSound('Film', 50)],
    outputs: [],
  });
  const { server, connect } = startKit(drivers);
  server.categories = [createGames({ up: 'Ctrl-Alt-U', down: 'd', mute: 'F9' })];
  await connect();
  expect(drivers.listChords()).toEqual([
    { modifiers: ['Ctrl', 'Alt'], key: 'u' },
    { modifiers: [], key: 'd' },
    { modifiers: [], key: 'F9' },
  ]);
  const levels = () => drivers.audio.getState().sessions.map(({ level, muted }) => (muted ? -level : level));
  drivers.pressHotkey(0);
  drivers.pressHotkey(0, true);
  await waitForPromises();
  expect(levels()).toEqual([60, 100, 50]);
  // Paused, it plays nothing, but still belongs to the game.
  drivers.setSoundUses([]);
  drivers.pressHotkey(1);
  await waitForPromises();
  expect(levels()).toEqual([55, 95, 50]);
  drivers.pressHotkey(2);
  drivers.pressHotkey(2, true);
  await waitForPromises();
  expect(levels()).toEqual([-55, -95, 50]);
  drivers.pressHotkey(2);
  await waitForPromises();
  expect(levels()).toEqual([55, 95, 50]);
});

test('presses that are faster than the sound server all count', async () => {
  const fake = createFakeDrivers();
  fake.play({ sessions: [createSound('Doom', 50)], outputs: [] });
  const set: Drivers['audio']['set'] = async (...args) => {
    await waitForPromises();
    return fake.audio.set(...args);
  };
  const { change } = startKit({ ...fake, audio: { ...fake.audio, set } });
  await change(createGames({ up: 'u', down: 'd' }));
  for (const at of [0, 0, 0, 1]) fake.pressHotkey(at);
  await fake.waitForActions((acts) => acts.filter(({ kind }) => kind === 'level').length === 4);
  expect(fake.audio.getState().sessions[0]?.level).toBe(60);
});

test('stored hotkeys work before the server answers, and without it', async () => {
  const { stateDir, change, stop } = startKit(createFakeDrivers());
  await change(createGames({ up: 'u' }));
  await stop();
  const drivers = createFakeDrivers();
  const { server, connect } = startKit(drivers, { stateDir });
  expect(drivers.listChords()).toEqual([{ modifiers: [], key: 'u' }]);
  server.isAway = true;
  await connect();
  expect(drivers.listChords()).toHaveLength(1);
  server.isAway = false;
  await connect();
  expect(drivers.listChords()).toEqual([]);
});

test('hotkeys that can’t be stored work nevertheless, and the terminal says so', async () => {
  const stateDir = createTempFolderSync();
  // The file can't be replaced, as on a full disk.
  mkdirSync(join(stateDir, 'hotkeys.json.part'));
  const drivers = createFakeDrivers();
  const { change, printed } = startKit(drivers, { stateDir });
  await change(createGames({ up: 'u' }));
  expect(drivers.listChords()).toEqual([{ modifiers: [], key: 'u' }]);
  expect(printed).toEqual([expect.stringMatching(/^Hotkeys could not be stored, .*: Cannot write .*hotkeys\.json/)]);
});

test('a change has priority over the response to an earlier request', async () => {
  const drivers = createFakeDrivers();
  const { server, connect, change } = startKit(drivers);
  server.categories = [createGames({ up: 'o' })];
  const connecting = connect();
  await change(createGames({ up: 'n' }));
  await connecting;
  expect(drivers.listChords()).toEqual([{ modifiers: [], key: 'n' }]);
});

test('changes made while the agent was paused apply when it resumes', async () => {
  const drivers = createFakeDrivers();
  const { server, connect, pause } = startKit(drivers);
  await connect();
  await pause(true);
  server.categories = [createGames({ up: 'n' })];
  await pause(false);
  expect(drivers.listChords()).toEqual([{ modifiers: [], key: 'n' }]);
});

test('the server learns which keys can’t be registered and why, on every connection and after changes', async () => {
  const drivers = createFakeDrivers();
  const { server, received, connect, status } = startKit(drivers);
  expect(status()).toEqual([]);
  server.categories = [createGames({ up: 'u', down: 'Hyper', mute: 'u' })];
  await connect();
  const down = { category: 'Games', action: 'down', reason: expect.stringContaining("no key called 'Hyper'") };
  const mute = {
    category: 'Games',
    action: 'mute',
    reason: 'That key is already used for Games: up. Choose another one',
  };
  expect(received.at(-1)).toEqual([down, mute]);
  drivers.refuseHotkeys(new Map([[0, 'taken']]));
  await expect.poll(() => received.at(-1)).toEqual([down, { category: 'Games', action: 'up', reason: 'taken' }, mute]);
  expect(status().slice(0, 2)).toEqual([
    'hotkeys: 0 of 3 active',
    expect.stringContaining('hotkeys: inactive: Games: down: There'),
  ]);
  const before = received.length;
  await connect();
  expect(received).toHaveLength(before + 1);
});

test.each(['sound', 'keyboard'] as const)(
  'with --no-%s no hotkeys are registered, and the server learns why',
  async (name) => {
    const drivers = createFakeDrivers();
    const { server, received, connect } = startKit(drivers, { allowed: { [name]: false } });
    server.categories = [createGames({ up: 'u' })];
    await connect();
    expect(drivers.listChords()).toEqual([]);
    expect(received.at(-1)).toEqual([
      { category: 'Games', action: 'up', reason: expect.stringContaining(`--no-${name}`) },
    ]);
  },
);

const skipReason = getSkipReason('Xvfb', 'openbox', 'setxkbmap') ?? getSoundSkipReason('pulseaudio');

describe.skipIf(skipReason)(`hotkeys of a real computer${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  test('a key that was saved on the server changes the volume of what the category’s application plays, and nothing else; one of `unassigned` that of the rest', async () => {
    await using desk = await startDesktop();
    desk.setLayout('us');
    await using sounds = await startSoundServer('pulseaudio');
    await using music = await sounds.playSilence('Music Box', { volume: 32_768 });
    await using other = await sounds.playFilm('Film');
    await using drivers = await openSystemDrivers({
      env: { ...sounds.env, DISPLAY: desk.name },
      stateDir: createTempFolderSync(),
    });
    await waitFor('both are heard', () => drivers.audio.getState().sessions.length === 2);
    await using server = await startServer();
    const anna = await server.createAccount('anna');
    await using laptop = await startDevice(server, anna, { drivers });
    // Neither has a window, so the programs' names are those of the applications.
    const until = Date.now();
    const segments = ['pacat', 'ffmpeg'].map((app) => ({ app, status: 's' as const, from: until - 1000, until }));
    await laptop.agent.call(reportusage, { boot: 'of-this-test', seq: 1, segments });
    const keys = {
      Music: { up: 'u', down: 'Ctrl-Alt-D', mute: 'Mute' },
      Games: { ...NONE, up: 'F13' },
      unassigned: { ...NONE, down: 'k' },
    };
    await anna.call(modifyapplicationcatinfo, { keys, cats: { Music: ['pacat'], Games: [], unassigned: ['ffmpeg'] } });
    const refused = async () => (await anna.call(applicationcatinfo, {})).data.refused;
    const reason = "The keyboard of that computer has no key 'F13'. Choose another one";
    await expect.poll(refused).toEqual([{ device: laptop.name, category: 'Games', action: 'up', reason }]);

    async function press(...keycodes: readonly number[]): Promise<void> {
      for (const keycode of keycodes) desk.display.fakeKey(keycode, true);
      for (const keycode of keycodes.toReversed()) desk.display.fakeKey(keycode, false);
      await desk.display.sync();
    }
    async function received() {
      const { volume, muted } = await music.getInfo();
      return `${Math.round((volume[0] ?? 0) / 655.36)}${muted ? ' muted' : ''}`;
    }
    const waitForVolume = (expected: string): Promise<unknown> =>
      waitFor(`the volume is ${expected}`, async () => (await received()) === expected);
    await press(30);
    await waitForVolume('55');
    await press(37, 64, 40);
    await waitForVolume('50');
    await press(121);
    await waitForVolume('50 muted');
    await press(121);
    await waitForVolume('50');
    expect(await other.getInfo()).toMatchObject({ muted: false, volume: [65_536] });
    await press(45);
    await waitFor('the film is quieter', async () => (await other.getInfo()).volume[0] === 62_259);
    await waitForVolume('50');
  });
});
