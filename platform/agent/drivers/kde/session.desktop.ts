import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { getKwinSkipReason, KWIN_SYSTEMS, startKwin, type KwinDesktop } from '#testing/kits/desktop/kwin.ts';
import { startSway } from '#testing/kits/desktop/sway.ts';
import type { TextView } from '#testing/kits/desktop/textView.ts';
import { getSkipReason } from '#testing/machine.ts';
import type { DesktopSession } from '../desktopSession.ts';
import type { KeyChord } from '../drivers.ts';
import { openDesktopSession } from '../openDesktopSession.ts';
import { callBus } from '../sessionBus.ts';

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
const ASCII = createCharacters(0x20, 95);
/** What each layout must type at least, in addition to ASCII. */
const OWN_CHARACTERS: Readonly<Record<string, string>> = {
  us: '',
  de: 'äöüÄÖÜßẞ€µ§°éèêáàâóòô',
  fr: 'éèàùç€êëïôÊ',
  'us,ru': 'Привет, ёжик: съешь ещё этих мягких французских булок!',
};
const LEFT_ALT = 56;
const LEFT_CONTROL = 29;
const R = 19;
const F9 = 67;
const CAPS_LOCK = 58;
const GLOBAL_SHORTCUTS = { destination: 'org.kde.kglobalaccel', path: '/kglobalaccel' } as const;

const swaySkipReason = getSkipReason('sway', 'xkbcli', 'setpriv');
const print = (line: string): void => void process.stdout.write(`${line}\n`);

describe.each(KWIN_SYSTEMS)('KWin $version', (system) => {
  /** From 6.7 on, KWin types every character. */
  const canTypeAll = system.version >= 6.7;
  const skipReason = getSkipReason('dbus-run-session', 'wl-copy', 'gi', 'Gtk-4.0.typelib') ?? getKwinSkipReason(system);

  describe.skipIf(skipReason)(`a KDE desktop${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
    let kwin: KwinDesktop;
    let session: DesktopSession;
    let folder: string;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'pegboard-kde-'));
      kwin = await startKwin(system);
      session = await openDesktopSession({ env: kwin.env, heldPath: join(folder, 'held.json') });
    });
    afterAll(async () => {
      await session?.[Symbol.asyncDispose]();
      await kwin?.[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    });

    async function openWindow(): Promise<TextView> {
      const window = await kwin.openTextWindow();
      await waitFor('the agent knows the focus', () => session.windows.getActive()?.pid === window.child.pid);
      return window;
    }
    /** Types a text and expects all of it but what the answer names as dropped. Returns the dropped characters. */
    async function typeAndRead(window: TextView, text: string): Promise<readonly string[]> {
      const before = window.getText();
      const { dropped } = await session.keyboard.type(text);
      const rest = [...dropped];
      const typed = Array.from(text).filter((character) => {
        const index = rest.indexOf(character);
        if (index !== -1) rest.splice(index, 1);
        return index === -1;
      });
      await expect.poll(window.getText, { timeout: 10_000 }).toBe(before + typed.join(''));
      expect(rest).toEqual([]);
      return dropped;
    }

    test('is recognised, with everything that it can do', () => {
      expect(session.name).toBe('KDE on Wayland');
      expect(session.keyboard.ability.able).toBe(true);
      expect(session.mouse.ability.able).toBe(true);
      expect(session.clipboard.ability.able).toBe(true);
      expect(session.windows.ability.able).toBe(true);
    });

    test.each(Object.keys(OWN_CHARACTERS))(
      'with layout %s every text arrives exactly, but for characters that are named',
      async (layout) => {
        await kwin.setLayouts(layout);
        await using window = await openWindow();
        for (const [name, text] of TEXTS) {
          const dropped = await typeAndRead(window, text);
          const isTypedByAll = name === 'all of ASCII' || name === 'newlines and tabs';
          if (canTypeAll || isTypedByAll) expect(dropped).toEqual([]);
        }
        expect(await typeAndRead(window, ASCII + (OWN_CHARACTERS[layout] ?? ''))).toEqual([]);
        expect(await typeAndRead(window, 'a👋b你')).toEqual(canTypeAll ? [] : ['👋', '你']);
      },
    );

    test.runIf(canTypeAll)('six hundred different characters arrive exactly', async () => {
      await using window = await openWindow();
      expect(await typeAndRead(window, createCharacters(0x4e00, 600))).toEqual([]);
    });

    test('two hundred characters arrive, and the time is printed', async () => {
      await kwin.setLayouts('us');
      await using window = await openWindow();
      const text = 'The quick brown fox jumps over the lazy dog. '.repeat(5).slice(0, 200);
      await typeAndRead(window, 'first ');
      const before = window.getText();
      const start = performance.now();
      await session.keyboard.type(text);
      const sent = performance.now() - start;
      while (window.getText() !== before + text && performance.now() - start < 5000) await sleep(2);
      const received = performance.now() - start;
      print(`200 characters: sent in ${sent.toFixed(0)} ms, received in ${received.toFixed(0)} ms`);
      expect(window.getText()).toBe(before + text);
    });

    test('what no keyboard has is named, and the rest is typed', async () => {
      await using window = await openWindow();
      expect(await session.keyboard.type('a\u0007b')).toEqual({ dropped: ['\u0007'] });
      await expect.poll(window.getText).toBe('ab');
    });

    test('Caps Lock changes no text, and stays on', async () => {
      await kwin.setLayouts('us');
      await using window = await openWindow();
      for (const down of [true, false]) await kwin.sendKey(CAPS_LOCK, down);
      expect(await typeAndRead(window, 'Hello World []')).toEqual([]);
      const A = 30;
      for (const down of [true, false]) await kwin.sendKey(A, down);
      await expect.poll(window.getText).toBe('Hello World []A');
      for (const down of [true, false]) await kwin.sendKey(CAPS_LOCK, down);
    });

    test.each(['caps:escape', 'caps:none', 'caps:ctrl_modifier', 'grp:caps_toggle', 'compose:caps'])(
      'a Caps Lock key that does something else (%s) changes no text',
      async (option) => {
        await kwin.setLayouts(option === 'grp:caps_toggle' ? 'us,ru' : 'us', option);
        await using window = await openWindow();
        for (const down of [true, false]) await kwin.sendKey(CAPS_LOCK, down);
        // A program that waits for the keys of a composition drops the first text.
        if (option === 'compose:caps') await session.keyboard.press(['Esc']);
        expect(await typeAndRead(window, 'Hello World []')).toEqual([]);
        expect(window.getText()).toBe('Hello World []');
      },
    );

    test('a modifier that somebody holds changes no text', async () => {
      await using window = await openWindow();
      const SHIFT = 42;
      await kwin.sendKey(SHIFT, true);
      if (system.version < 6) expect(await typeAndRead(window, 'Small')).toEqual([]);
      else await expect(session.keyboard.type('Small')).rejects.toThrow('Somebody holds Shift on that computer');
      await kwin.sendKey(SHIFT, false);
      const before = window.getText();
      expect(await typeAndRead(window, 'afterwards')).toEqual([]);
      expect(window.getText()).toBe(`${before}afterwards`);
    });

    test.each(['us', 'fr', 'de', 'us,ru'])('shortcuts are those of the layout %s', async (layout) => {
      await kwin.setLayouts(layout);
      await using window = await openWindow();
      await session.clipboard.write('');
      expect(await typeAndRead(window, 'cut me')).toEqual([]);
      await session.keyboard.press(['Ctrl', 'a']);
      await session.keyboard.press(['Ctrl', 'x']);
      await expect.poll(window.getText).toBe('');
      await session.keyboard.press(['Ctrl', 'v']);
      await expect.poll(window.getText).toBe('cut me');
    });

    test('shortcuts work while a layout without Latin letters is in use', async () => {
      await kwin.setLayouts('us,ru');
      const layouts = { destination: 'org.kde.keyboard', path: '/Layouts', interface: 'org.kde.KeyboardLayouts' };
      await callBus(kwin.bus, { ...layouts, member: 'setLayout', signature: 'u', body: [1] });
      await using window = await openWindow();
      await typeAndRead(window, 'both: оба');
      await session.keyboard.press(['Ctrl', 'a']);
      await session.keyboard.press(['Ctrl', 'x']);
      await expect.poll(window.getText).toBe('');
      expect(await callBus(kwin.bus, { ...layouts, member: 'getLayout' })).toBe(1);
      await callBus(kwin.bus, { ...layouts, member: 'setLayout', signature: 'u', body: [0] });
      await kwin.setLayouts('us');
    });

    test('without a focused window typing is refused with a sentence', async () => {
      await waitFor('nothing has the focus', () => session.windows.getActive() === undefined);
      await expect(session.keyboard.type('a')).rejects.toThrow('No window on that computer has the keyboard focus');
    });

    test('the mouse clicks where it points', async () => {
      await using window = await openWindow();
      await typeAndRead(window, 'one two');
      session.mouse.centre();
      // Three clicks select the line.
      for (const down of [true, false, true, false, true, false]) session.mouse.button('left', down);
      await sleep(300);
      session.mouse.move(-100, -60);
      session.mouse.wheel(1, 1);
      await session.keyboard.press(['Del']);
      await expect.poll(() => window.getText().length).toBeLessThan(7);
    });

    test('text is put on the clipboard and read from it, however long', async () => {
      const paste = (): Promise<string> =>
        readText(spawn('wl-paste', ['-n'], { env: kwin.env, stdio: ['ignore', 'pipe', 'inherit'] }).stdout);
      for (const text of ['Grüße 👋\nмир', 'x'.repeat(200_000)]) {
        await session.clipboard.write(text);
        expect(await paste()).toBe(text);
        expect(await session.clipboard.read()).toBe(text);
      }
      kwin.spawn('wl-copy', ['von wl-copy ü👋']);
      await expect.poll(session.clipboard.read).toBe('von wl-copy ü👋');
      kwin.spawn('wl-copy', ['--clear']);
      await expect.poll(session.clipboard.read).toBe('');
    });

    test('the focused window and all others are known by program and title', async () => {
      await using first = await openWindow();
      let changedAt = 0;
      session.windows.onChange(() => void (changedAt = performance.now()));
      await using second = await kwin.openTextWindow();
      const active = await waitFor('the second is in front', () => {
        const window = session.windows.getActive();
        return window?.pid === second.child.pid && window;
      });
      expect(changedAt).toBeGreaterThan(0);
      expect(active.application).toBe('python3');
      expect(await session.windows.getTitle(active.id)).toBe('text view');
      expect(session.windows.listOpen().map(({ pid }) => pid)).toEqual([first.child.pid, second.child.pid]);
      const start = performance.now();
      await session.keyboard.press(['Alt', 'F4']);
      await waitFor('the first is in front', () => session.windows.getActive()?.pid === first.child.pid);
      print(`the active window changed ${(performance.now() - start).toFixed(0)} ms after Alt-F4`);
      expect(session.windows.listOpen().map(({ pid }) => pid)).toEqual([first.child.pid]);
      expect(await session.windows.getTitle(active.id)).toBe('');
    });

    test('idle time grows without input, and ends with it', async () => {
      await waitFor('it is idle', async () => (await session.windows.getIdleMs()) > 1500);
      session.mouse.move(3, 3);
      await waitFor('it is used', async () => (await session.windows.getIdleMs()) < 1000);
    });

    /** Registers hotkeys, and returns those that are refused. */
    async function listen(
      chords: readonly KeyChord[],
      onPress: (index: number, isRepeated: boolean) => void = () => undefined,
    ): Promise<ReadonlyMap<number, string>> {
      const { promise, resolve } = Promise.withResolvers<ReadonlyMap<number, string>>();
      session.hotkeys.listen(chords, { onPress, onStatus: resolve });
      return promise;
    }

    test('hotkeys are heard, conflicts are named, and what the agent presses triggers none', async () => {
      const presses: (readonly [number, boolean])[] = [];
      // Another program has Ctrl-Alt-T.
      const other = ['other', 'terminal', 'Other', 'Terminal'];
      const service = { ...GLOBAL_SHORTCUTS, interface: 'org.kde.KGlobalAccel' };
      await callBus(kwin.bus, { ...service, member: 'doRegister', signature: 'as', body: [other] });
      const CTRL_ALT_T = 0x0c000054;
      const body = [other, [CTRL_ALT_T], 6];
      await callBus(kwin.bus, { ...service, member: 'setShortcut', signature: 'asaiu', body });

      const refused = await listen(
        [
          { modifiers: ['Ctrl', 'Alt'], key: 'r' },
          { modifiers: [], key: 'F9' },
          { modifiers: ['Ctrl'], key: 'NoSuchKey' },
          { modifiers: ['Ctrl', 'Alt'], key: 't' },
        ],
        (index, isRepeated) => void presses.push([index, isRepeated]),
      );
      expect([...refused.keys()]).toEqual([2, 3]);
      expect(refused.get(3)).toContain('already uses Ctrl-Alt-T');
      for (const code of [LEFT_CONTROL, LEFT_ALT, R]) await kwin.sendKey(code, true);
      for (const code of [R, LEFT_ALT, LEFT_CONTROL]) await kwin.sendKey(code, false);
      const start = performance.now();
      for (const down of [true, false]) await kwin.sendKey(F9, down);
      await expect
        .poll(() => presses, { interval: 2 })
        .toEqual([
          [0, false],
          [1, false],
        ]);
      print(`a hotkey was heard ${(performance.now() - start).toFixed(0)} ms after its press`);
      await session.keyboard.press(['F9']);
      await session.keyboard.press(['Ctrl', 'Alt', 'r']);
      await sleep(300);
      expect(presses).toHaveLength(2);
      for (const down of [true, false]) await kwin.sendKey(F9, down);
      await expect.poll(() => presses.at(2)).toEqual([1, false]);

      await listen([]);
      for (const down of [true, false]) await kwin.sendKey(F9, down);
      await sleep(300);
      expect(presses).toHaveLength(3);
      const actions = { ...service, member: 'allActionsForComponent', signature: 'as' };
      expect(await callBus(kwin.bus, { ...actions, body: [['pegboard-agent', '', '', '']] })).toEqual([]);
    });

    test.skipIf(swaySkipReason)('another compositor in a window of KDE is not mistaken for it', async () => {
      await using sway = await startSway();
      const env = { ...sway.env, DBUS_SESSION_BUS_ADDRESS: kwin.env['DBUS_SESSION_BUS_ADDRESS'] };
      await using other = await openDesktopSession({ env, heldPath: join(folder, 'other.json') });
      expect(other.name).toBe('sway on Wayland');
    });

    test('the end of KWin is noticed', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      session.onClosed(resolve);
      await kwin.kill();
      await promise;
    });
  });
});
