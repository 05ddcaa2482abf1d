import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import {
  getGnomeSkipReason,
  startGnome,
  type GnomeDesktop,
  type TextProgram,
  type TextWindow,
} from '#testing/kits/desktop/gnome.ts';
import type { DesktopSession } from '../desktopSession.ts';
import { openDesktopSession } from '../openDesktopSession.ts';
import { findGnome, openGnomeSession } from './session.ts';

const skipReason = getGnomeSkipReason();

const createCharacters = (first: number, count: number): string =>
  Array.from({ length: count }, (_, index) => String.fromCodePoint(first + index)).join('');
const PROSE = 'The quick brown fox jumps over the lazy dog. '.repeat(5).slice(0, 200);
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
  ['prose', PROSE],
];
const CONTROL = 29;
const ALT = 56;
const A = 30;
const R = 19;
/** The key that types y in the US layout. */
const Y = 21;
const F9 = 67;
const CAPS_LOCK = 58;

describe.skipIf(skipReason)(`a GNOME desktop${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  let gnome: GnomeDesktop;
  let session: DesktopSession;
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-gnome-session-'));
  beforeAll(async () => {
    gnome = await startGnome();
    // The library for X11 reads it from the environment of its own process.
    process.env['XAUTHORITY'] = gnome.env['XAUTHORITY'];
    session = await openDesktopSession({ env: gnome.env, heldPath: join(folder, 'held.json') });
  });
  afterAll(async () => {
    await session[Symbol.asyncDispose]();
    await gnome[Symbol.asyncDispose]();
    delete process.env['XAUTHORITY'];
    rmSync(folder, { recursive: true });
  });

  const waitForFocus = (child: ChildProcess) =>
    waitFor('the agent knows the focus', () => session.windows.getActive()?.pid === child.pid);
  async function openWindow(program: TextProgram): Promise<TextWindow> {
    const window = await gnome.openTextWindow(program);
    await waitForFocus(window.child);
    return window;
  }
  async function typeAndRead(window: TextWindow, text: string): Promise<void> {
    window.clear();
    expect(await session.keyboard.type(text)).toEqual({ dropped: [] });
    await expect.poll(window.getText).toBe(text);
  }
  async function tap(codes: readonly number[]): Promise<void> {
    for (const code of codes) await gnome.keyboard.sendKey(code, true);
    for (const code of codes.toReversed()) await gnome.keyboard.sendKey(code, false);
  }

  async function tapAndRead(window: TextWindow): Promise<string> {
    window.clear();
    await tap([A]);
    await waitFor('the key arrives', () => window.getText() !== '');
    return window.getText();
  }

  test('is recognised, with everything that it can do', () => {
    expect(session.name).toBe('GNOME on Wayland');
    expect(session.keyboard.ability.able).toBe(true);
    expect(session.mouse.ability.able).toBe(true);
    expect(session.clipboard.ability.able).toBe(true);
    expect(session.windows.ability.able).toBe(true);
  });

  describe.each(['us', 'de', 'fr', 'us,ru', 'ru'])('with layout %s', (layout) => {
    test.each<TextProgram>(['foot', 'gtk'])('every text arrives exactly in %s', async (program) => {
      await gnome.setLayout(layout);
      await using window = await openWindow(program);
      for (const [, text] of TEXTS) await typeAndRead(window, text);
    });
  });

  test('every text arrives exactly in a program for X11', async () => {
    await gnome.setLayout('de');
    await using window = await openWindow('xterm');
    for (const [, text] of TEXTS) await typeAndRead(window, text);
  });

  test('without a text field, keys type the characters of the layout, and the others are named', async () => {
    await gnome.setLayout('de');
    {
      // IBus doesn't notice its end.
      await using terminal = await openWindow('xterm');
      await typeAndRead(terminal, 'ä');
    }
    await using window = await openWindow('keys');
    window.clear();
    const { dropped } = await session.keyboard.type(`Größe: 5 € ~ ${PROSE}\n→ мир!`);
    expect(dropped).toEqual(['м', 'и', 'р']);
    await expect.poll(window.getText).toBe(`Größe: 5 € ~ ${PROSE}\n→ !`);
    await tap([CAPS_LOCK]);
    await typeAndRead(window, 'abc ABC äÄ');
    await tap([CAPS_LOCK]);
    expect(await tapAndRead(window)).toBe('a');
  });

  test('the second layout is used when it is active', async () => {
    await gnome.setLayout('us,de');
    await using window = await openWindow('gtk');
    await gnome.switchLayout();
    window.clear();
    await tap([Y]);
    await session.keyboard.press(['z']);
    await session.keyboard.press(['Shift', 'ü']);
    await expect.poll(window.getText).toBe('zzÜ');
    await gnome.switchLayout();
    await gnome.setLayout('us');
  });

  test('six hundred different characters arrive exactly', async () => {
    await using window = await openWindow('foot');
    await typeAndRead(window, createCharacters(0x4e00, 600));
  });

  test('each character of Latin-1 arrives as a text of its own', async () => {
    await gnome.setLayout('us');
    await using window = await openWindow('gtk');
    window.clear();
    const characters = Array.from(createCharacters(0x21, 94) + createCharacters(0xa1, 95));
    for (const character of characters) await session.keyboard.type(character);
    await expect.poll(window.getText).toBe(characters.join(''));
  });

  test('what no keyboard has is named, and the rest is typed', async () => {
    await using window = await openWindow('foot');
    window.clear();
    expect(await session.keyboard.type('a\u0007b')).toEqual({ dropped: ['\u0007'] });
    await expect.poll(window.getText).toBe('ab');
  });

  test('with Caps Lock on, every text arrives exactly, and Caps Lock stays on', async () => {
    await gnome.setLayout('us');
    await using window = await openWindow('gtk');
    await tap([CAPS_LOCK]);
    await typeAndRead(window, 'abc ABC');
    await typeAndRead(window, 'x');
    window.clear();
    await tap([A]);
    await expect.poll(window.getText).toBe('A');
    await tap([CAPS_LOCK]);
    window.clear();
    await tap([A]);
    await expect.poll(window.getText).toBe('a');
  });

  test('the input method of the user is back after each text', async () => {
    await using window = await openWindow('gtk');
    const before = gnome.run('ibus', ['engine']).trim();
    await typeAndRead(window, 'é 你好');
    expect(gnome.run('ibus', ['engine']).trim()).toBe(before);
    window.clear();
    await tap([A]);
    await expect.poll(window.getText).toBe('a');
  });

  test.each(['us', 'fr', 'de', 'ru'])('shortcuts are those of the layout %s', async (layout) => {
    await gnome.setLayout(layout);
    await using window = await openWindow('gtk');
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
      readText(spawn('xclip', ['-o', '-selection', 'clipboard'], { env: gnome.env, timeout: 10_000 }).stdout);
    for (const text of ['Grüße 👋\nмир', 'x'.repeat(200_000)]) {
      await session.clipboard.write(text);
      expect(await paste()).toBe(text);
      expect(await session.clipboard.read()).toBe(text);
    }
    const copy = spawn('xclip', ['-selection', 'clipboard'], { env: gnome.env, stdio: ['pipe', 'ignore', 'ignore'] });
    copy.stdin.end('von xclip ü👋');
    await expect.poll(session.clipboard.read).toBe('von xclip ü👋');
  });

  test('the clipboard is shared with programs for Wayland', async () => {
    await using window = await openWindow('gtk');
    await session.clipboard.write('in the clipboard ü👋');
    window.clear();
    await session.keyboard.press(['Ctrl', 'v']);
    await expect.poll(window.getText).toBe('in the clipboard ü👋');
    await typeAndRead(window, ' and back');
    await session.keyboard.press(['Ctrl', 'a']);
    await session.keyboard.press(['Ctrl', 'c']);
    await expect.poll(session.clipboard.read).toBe('in the clipboard ü👋 and back');
  });

  test('the focused window and all others are known by program and title', async () => {
    await using first = await openWindow('foot');
    await using second = await openWindow('gtk');
    const active = session.windows.getActive();
    expect(active).toMatchObject({ application: 'org.pegboard.TextView', pid: second.child.pid });
    expect(await session.windows.getTitle(active?.id ?? 0)).toBe('text view');
    expect(session.windows.listOpen().map(({ pid }) => pid)).toEqual([first.child.pid, second.child.pid]);
  });

  test('the pointer clicks where it was moved, and turns the wheel', async () => {
    await using window = await openWindow('gtk');
    await typeAndRead(window, 'a b');
    session.mouse.centre();
    for (let click = 0; click < 3; click++) {
      session.mouse.button('left', true);
      session.mouse.button('left', false);
    }
    session.mouse.wheel(0, 2);
    await session.mouse.releaseAll();
    window.clear();
    await session.keyboard.press(['Del']);
    // Three clicks select the line, if they are in the text.
    await expect.poll(window.getText).toBe('');
  });

  test('idle time grows without input, and ends with it', async () => {
    await waitFor('it is idle', async () => (await session.windows.getIdleMs()) > 1500);
    session.mouse.move(3, 3);
    await waitFor('it is used', async () => (await session.windows.getIdleMs()) < 1000);
  });

  test('hotkeys are heard, on their first press and while they are held, and not while the agent types', async () => {
    const presses: (readonly [number, boolean])[] = [];
    let statusCount = 0;
    const { promise, resolve } = Promise.withResolvers<ReadonlyMap<number, string>>();
    session.hotkeys.listen(
      [
        { modifiers: ['Ctrl', 'Alt'], key: 'r' },
        { modifiers: [], key: 'F9' },
        { modifiers: ['Ctrl'], key: 'NoSuchKey' },
        { modifiers: ['Alt'], key: 'F4' },
      ],
      {
        onPress: (index, isRepeated) => void presses.push([index, isRepeated]),
        onStatus: (refused) => {
          statusCount += 1;
          resolve(refused);
        },
      },
    );
    expect([...(await promise).keys()]).toEqual([2, 3]);
    await tap([CONTROL, ALT, R]);
    await tap([F9]);
    await expect
      .poll(() => presses)
      .toEqual([
        [0, false],
        [1, false],
      ]);
    await session.keyboard.press(['F9']);
    expect(presses).toHaveLength(2);
    await waitFor('the hotkeys are registered again', () => statusCount === 2);
    await tap([F9]);
    await expect.poll(() => presses).toHaveLength(3);
    await gnome.keyboard.sendKey(F9, true);
    await expect.poll(() => presses.slice(3).filter(([, isRepeated]) => isRepeated).length).toBeGreaterThan(1);
    await gnome.keyboard.sendKey(F9, false);
    expect(presses[3]).toEqual([1, false]);
    session.hotkeys.listen([], { onPress: () => undefined, onStatus: () => undefined });
  });

  /** Returns the engine of the input method; '' if there is none. */
  function readEngine(): string {
    try {
      return gnome.run('ibus', ['engine']).trim();
    } catch {
      return '';
    }
  }
  async function startAgent(task: 'hold' | 'type'): Promise<ChildProcess> {
    const args = ['testing/kits/desktop/gnomeAgent.ts', task, join(folder, 'agent-held.json')];
    const agent = spawn(process.execPath, args, { env: gnome.env, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(agent.stdout, 'data');
    return agent;
  }
  test('an agent that is killed while it types leaves the input method of the user', async () => {
    await gnome.setLayout('us');
    await using window = await openWindow('gtk');
    const before = readEngine();
    const agent = await startAgent('type');
    await waitFor('the agent types', () => readEngine().startsWith('pegboard'));
    agent.kill('SIGKILL');
    await waitFor('the input method is back', () => readEngine() === before, 10_000);
    expect(await tapAndRead(window)).toBe('a');
  });

  test('an agent that hangs while it types leaves the input method of the user', async () => {
    await using window = await openWindow('gtk');
    const before = readEngine();
    const agent = await startAgent('type');
    await waitFor('the agent types', () => readEngine().startsWith('pegboard'));
    agent.kill('SIGSTOP');
    await waitFor('the input method is back', () => readEngine() === before, 15_000);
    expect(await tapAndRead(window)).toBe('a');
  });

  test.each(['SIGKILL', 'SIGSTOP'] as const)('a key that an agent holds is released after %s', async (signal) => {
    await using window = await openWindow('foot');
    const agent = await startAgent('hold');
    expect(await tapAndRead(window)).toBe('A');
    agent.kill(signal);
    await waitFor('the key is up', async () => (await tapAndRead(window)) === 'a', 10_000);
  });

  test('remote input that is ended at the computer is an ability with a sentence, and comes back automatically', async () => {
    const bus = await findGnome(gnome.env);
    if (!bus) throw new Error('no session bus');
    await using other = await openGnomeSession({
      env: gnome.env,
      heldPath: join(folder, 'other-held.json'),
      bus,
      endedByUserMs: 2000,
    });
    await using window = await openWindow('foot');
    await waitFor('GNOME tells whether it can record', () => other.capture.ability.able);
    await other.keyboard.holdModifiers(['Shift']);
    let changeCount = 0;
    other.onAbilityChange?.(() => (changeCount += 1));
    await new Promise(setImmediate);
    changeCount = 0;
    await gnome.endRemoteInput();
    await expect
      .poll(() => other.keyboard.ability)
      .toEqual({
        able: false,
        reason: expect.stringContaining('Somebody ended remote control at that computer'),
      });
    expect(other.mouse.ability.able).toBe(false);
    expect(changeCount).toBe(1);
    await expect(other.keyboard.type('a')).rejects.toThrow('Somebody ended remote control at that computer');
    await expect.poll(() => other.keyboard.ability).toEqual({ able: true });
    window.clear();
    await other.keyboard.type('back');
    await expect.poll(window.getText).toBe('back');
  });
});
