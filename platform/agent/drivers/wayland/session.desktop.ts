import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { startSway, type SwayDesktop, type TextProgram, type TextWindow } from '#testing/kits/desktop/sway.ts';
import { getSkipReason } from '#testing/machine.ts';
import type { DesktopSession } from '../desktopSession.ts';
import { openDesktopSession } from '../openDesktopSession.ts';

const skipReason = getSkipReason('sway', 'foot', 'Xwayland', 'xterm', 'wl-copy', 'gi', 'xkbcli', 'setpriv');

/** The kernel's code of the key A. */
const KEY_A = 30;

const createCharacters = (first: number, count: number): string =>
  Array.from({ length: count }, (_, index) => String.fromCodePoint(first + index)).join('');
const TEXTS: readonly (readonly [string, string])[] = [
  ['all of ASCII', createCharacters(0x20, 95)],
  ['Latin-1', createCharacters(0xa1, 95)],
  ['accents and umlauts', 'Grüße, "мир" — 你好 👋 àéîõü ÀÉÎÕÜ ß €'],
  ['Greek and Cyrillic', 'αβγδε ΩΨ Привет, ёжик'],
  ['Chinese, Japanese and Korean', '你好世界 こんにちは 안녕하세요'],
  ['emoji with skin tones, families and flags', '👍🏽 👩‍👩‍👧 🇫🇷🇩🇪 ❤️ 𝑎'],
  ['combining marks', 'é ñ ạ̈'],
  ['newlines and tabs', 'a\tb\nc\n'],
  ['newlines between foreign characters', 'ä\nβ\n\nγ\t👋'],
  ['repeated characters', 'hooh aa ㄱㄱㄱ AAAaaa'],
];

describe.skipIf(skipReason)(`a sway desktop${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  let sway: SwayDesktop;
  let session: DesktopSession;
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-wayland-'));
  beforeAll(async () => {
    sway = await startSway();
    session = await openDesktopSession({ env: sway.env, heldPath: join(folder, 'held.json') });
  });
  afterAll(async () => {
    await session[Symbol.asyncDispose]();
    await sway[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  async function typeAndRead(window: TextWindow, text: string): Promise<void> {
    window.clear();
    await waitFor('the agent knows the focus', () => session.windows.getActive()?.pid === window.child.pid);
    expect(await session.keyboard.type(text)).toEqual({ dropped: [] });
    await expect.poll(window.getText).toBe(text);
  }

  test('is recognised, with everything that it can do', () => {
    expect(session.name).toBe('sway on Wayland');
    expect(session.keyboard.ability.able).toBe(true);
    expect(session.mouse.ability.able).toBe(true);
    expect(session.clipboard.ability.able).toBe(true);
    expect(session.windows.ability.able).toBe(true);
  });

  describe.each(['us', 'de', 'fr', 'ru', 'us,ru'])('with layout %s', (layout) => {
    test.each<TextProgram>(['foot', 'gtk'])('every text arrives exactly in %s', async (program) => {
      await sway.setLayout(layout);
      await using window = await sway.openTextWindow(program);
      for (const [, text] of TEXTS) {
        // Somebody uses the other keyboard in between.
        await sway.setLayout(layout);
        await typeAndRead(window, text);
      }
    });
  });

  test('every text arrives exactly in a program for X11', async () => {
    await sway.setLayout('de');
    await using window = await sway.openTextWindow('xterm');
    for (const [, text] of TEXTS) await typeAndRead(window, text);
  });

  test('six hundred different characters arrive exactly', async () => {
    await using window = await sway.openTextWindow('foot');
    await typeAndRead(window, createCharacters(0x4e00, 600));
  });

  test('what no keyboard has is named, and the rest is typed', async () => {
    await using window = await sway.openTextWindow('foot');
    window.clear();
    expect(await session.keyboard.type('a\u0007b')).toEqual({ dropped: ['\u0007'] });
    await expect.poll(window.getText).toBe('ab');
  });

  test.each(['us', 'fr', 'de', 'ru'])('shortcuts are those of the layout %s', async (layout) => {
    await sway.setLayout(layout);
    await using window = await sway.openTextWindow('gtk');
    await typeAndRead(window, 'cut me');
    await session.keyboard.press(['Ctrl', 'a']);
    await session.keyboard.press(['Ctrl', 'x']);
    await expect.poll(window.getText).toBe('');
    await session.keyboard.press(['Ctrl', 'v']);
    await expect.poll(window.getText).toBe('cut me');
  });

  test('without a focused window typing is refused with a sentence', async () => {
    await waitFor('nothing has the focus', () => session.windows.getActive() === undefined);
    await expect(session.keyboard.type('a')).rejects.toThrow('No window on that computer has the keyboard focus');
  });

  test('text is put on the clipboard and read from it, however long', async () => {
    const paste = () =>
      readText(spawn('wl-paste', ['-n'], { env: sway.env, stdio: ['ignore', 'pipe', 'inherit'] }).stdout);
    for (const text of ['Grüße 👋\nмир', 'x'.repeat(200_000)]) {
      await session.clipboard.write(text);
      expect(await paste()).toBe(text);
      expect(await session.clipboard.read()).toBe(text);
    }
    sway.spawn('wl-copy', ['von wl-copy ü👋']);
    await expect.poll(session.clipboard.read).toBe('von wl-copy ü👋');
    sway.spawn('wl-copy', ['--clear']);
    await expect.poll(session.clipboard.read).toBe('');
  });

  test('the focused window and all others are known by program and title', async () => {
    await using first = await sway.openTextWindow('foot');
    await using second = await sway.openTextWindow('gtk');
    const active = await waitFor('the second is in front', () => {
      const window = session.windows.getActive();
      return window?.pid === second.child.pid && window;
    });
    expect(await session.windows.getTitle(active.id)).toBe('text view');
    expect(session.windows.listOpen().map(({ pid }) => pid)).toEqual([first.child.pid, second.child.pid]);
  });

  test('idle time grows without input, and ends with it', async () => {
    await waitFor('it is idle', async () => (await session.windows.getIdleMs()) > 1500);
    session.mouse.move(3, 3);
    await waitFor('it is used', async () => (await session.windows.getIdleMs()) < 1000);
  });

  test('hotkeys are heard, on their first press and while they are held, and not while the agent types', async () => {
    const presses: (readonly [number, boolean])[] = [];
    const { promise, resolve } = Promise.withResolvers<ReadonlyMap<number, string>>();
    session.hotkeys.listen(
      [
        { modifiers: ['Ctrl', 'Alt'], key: 'r' },
        { modifiers: [], key: 'F9' },
        { modifiers: ['Ctrl'], key: 'NoSuchKey' },
      ],
      { onPress: (index, isRepeated) => void presses.push([index, isRepeated]), onStatus: resolve },
    );
    expect([...(await promise).keys()]).toEqual([2]);
    const CONTROL = 29;
    const ALT = 56;
    const R = 19;
    const F9 = 67;
    sway.keyboard.sendKey(CONTROL, true);
    sway.keyboard.sendKey(ALT, true);
    sway.keyboard.setModifiers(4 | 8, 0);
    for (const down of [true, false]) sway.keyboard.sendKey(R, down);
    sway.keyboard.sendKey(ALT, false);
    sway.keyboard.sendKey(CONTROL, false);
    sway.keyboard.setModifiers(0, 0);
    for (const down of [true, false]) sway.keyboard.sendKey(F9, down);
    await expect
      .poll(() => presses)
      .toEqual([
        [0, false],
        [1, false],
      ]);
    await session.keyboard.press(['F9']);
    expect(presses).toHaveLength(2);
    session.hotkeys.listen([], { onPress: () => undefined, onStatus: () => undefined });
  });

  test('the screen, or a part of it, is recorded as a video that can be played', async () => {
    const path = join(folder, 'recording.mkv');
    const recording = await session.capture.start(path, { x: 10, y: 20, width: 321, height: 200 });
    await using window = await sway.openTextWindow('foot');
    await typeAndRead(window, 'something moves');
    await recording.stop();
    expect(await recording.whenEnded).toBeUndefined();
    const { stdout } = spawn(
      'ffprobe',
      [
        ['-v', 'error', '-count_frames', '-select_streams', 'v', '-of', 'json'],
        ['-show_entries', 'stream=width,height,pix_fmt,nb_read_frames', path],
      ].flat(),
    );
    const [stream] = JSON.parse(await readText(stdout)).streams;
    expect(stream).toMatchObject({ width: 320, height: 200, pix_fmt: 'yuv420p' });
    expect(Number(stream.nb_read_frames)).toBeGreaterThan(0);
  });

  function startProgram(code: string): ChildProcess {
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code];
    const child = spawn(process.execPath, args, { env: sway.env, stdio: ['ignore', 'ignore', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  }

  describe('keys never stick', () => {
    test('an agent that is killed while it holds a key leaves nothing down', async () => {
      await sway.setLayout('us');
      await using window = await sway.openTextWindow('foot');
      window.clear();
      const agent = startProgram(`
        import { connectWayland, getWaylandSocketPath } from '#platform/agent/drivers/wayland/connection.ts';
        import { openVirtualKeyboard } from '#platform/agent/drivers/wayland/virtualKeyboard.ts';
        const connection = await connectWayland(getWaylandSocketPath(process.env));
        const manager = connection.bind('zwp_virtual_keyboard_manager_v1', 1);
        const keyboard = await openVirtualKeyboard(connection, manager);
        keyboard.setKeymapText(keyboard.getKeymap().text);
        keyboard.sendKey(${KEY_A}, true);
        await connection.sync();
        setTimeout(() => process.kill(process.pid, 'SIGKILL'), 500);`);
      await new Promise((resolve) => agent.once('exit', resolve));
      await waitFor('the key was pressed', () => window.getText().startsWith('a'));
      // The terminal repeats a held key about 25 times a second.
      await waitFor('the terminal repeats it no more', async () => {
        const { length } = window.getText();
        await sleep(1000);
        return window.getText().length === length;
      });
    });

    test('an agent that hangs while it holds a button is ended, which releases it', async () => {
      const agent = startProgram(`
        import { openDesktopSession } from '#platform/agent/drivers/openDesktopSession.ts';
        const guardian = { program: process.execPath, args: ['apps/agent/main.ts', '--guardian'] };
        const session = await openDesktopSession({ env: process.env, heldPath: '${join(folder, 'other.json')}', guardian });
        session.mouse.button('left', true);
        await new Promise((resolve) => setTimeout(resolve, 1500));
        for (;;);`);
      const signal = await new Promise((resolve) => agent.once('exit', (_code, name) => resolve(name)));
      expect(signal).toBe('SIGKILL');
    });
  });
});
