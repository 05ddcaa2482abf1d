import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  waitFor,
  openInputRecorder,
  openTerminalSink,
  startDesktop,
  type TestDesktop,
  type TerminalSink,
} from '#testing/kits/desktop/desktop.ts';
import { createCharacters, SAMPLE_TEXTS } from '#testing/kits/desktop/sampleTexts.ts';
import { getSkipReason } from '#testing/machine.ts';
import { readLeftovers } from '../heldInputs.ts';
import { openXDesktop, type XDesktop } from './desktop.ts';
import { openDisplay } from './display.ts';
import { readKeyboard } from './keyboardLayout.ts';
import { MIN_REUSE_DELAY_MS } from './scratchKeys.ts';
import { openXkb, type Xkb } from './xkb.ts';

const skipReason = getSkipReason('Xvfb', 'openbox', 'xterm', 'setxkbmap');

describe.skipIf(skipReason)(`typing on X11${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  let desk: TestDesktop;
  let sink: TerminalSink;
  let agent: XDesktop;
  let folder: string;
  const getHeldPath = (): string => join(folder, 'held.json');

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pegboard-typing-'));
    desk = await startDesktop();
    sink = await openTerminalSink(desk);
    agent = await openXDesktop({ display: desk.name, heldPath: getHeldPath() });
  });
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await sink[Symbol.asyncDispose]();
    await desk[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    desk.setLayout('us');
    sink.clear();
  });

  async function typeAndRead(text: string): Promise<void> {
    sink.clear();
    expect(await agent.keyboard.type(text)).toEqual({ dropped: [] });
    await sink.waitForText(text.replaceAll('\n', '\r'));
  }

  describe.each(['us', 'fr', 'de', 'ru', 'us,fr', 'us,ru'])('with layout %s', (layout) => {
    test.each(SAMPLE_TEXTS)('%s arrives exactly', async (_, text) => {
      desk.setLayout(layout);
      await typeAndRead(text);
    });
  });

  test('forty characters that the layout lacks arrive exactly, although the scratch keys are lent several times', async () => {
    await typeAndRead(createCharacters(0x4e00, 40, 7));
  });

  test.each(['us,fr', 'us,ru', 'de,us'])(
    'the second layout of %s is typed exactly too while it is the active one',
    async (layout) => {
      desk.setLayout(layout);
      await desk.setGroup(1);
      expect((await readKeyboard(desk.display)).group).toBe(1);
      await typeAndRead('Azerty QWERTZ 123 @#é, "мир" — 你好 👋');
      await desk.setGroup(0);
      await typeAndRead('Azerty QWERTZ 123 @#é, "мир" — 你好 👋');
    },
  );

  test('a third layout is typed exactly too, although the map has no columns for it', async () => {
    desk.setLayout('us,fr,ru');
    await desk.setGroup(2);
    await typeAndRead('Abc мир @');
    await desk.setGroup(0);
  });

  test('a change of the layout while running is noticed', async () => {
    await typeAndRead('zyx @ #');
    desk.setLayout('de');
    await typeAndRead('zyx @ # ä');
  });

  describe('with modifiers locked and latched', () => {
    let xkb: Xkb;
    beforeAll(async () => {
      xkb = await openXkb(desk.display);
    });
    afterEach(async () => {
      xkb.unlock();
      xkb.setKeyFilters(0b1_0110, false);
      await desk.display.sync();
    });
    const TEXT = 'Hello World [] 1!2"3 ÄÖ мир';
    const SHIFT = 1;
    const CAPS = 2;
    const NUM = 16;
    const LEVEL5 = 32;
    const LEVEL3 = 128;

    test.each([
      '',
      'grp:caps_toggle',
      'grp:shift_caps_toggle',
      'caps:escape',
      'caps:none',
      'caps:ctrl_modifier',
      'caps:swapescape',
      'caps:super',
      'caps:hyper',
      'caps:menu',
      'caps:numlock',
      'caps:backspace',
      'caps:shift',
      'caps:shiftlock',
      'caps:internal',
      'caps:digits_row',
      'compose:caps',
      'ctrl:nocaps',
      'ctrl:swapcaps',
      'lv3:caps_switch',
      'lv5:caps_switch',
      'shift:both_capslock',
      'shift:breaks_caps',
      'numpad:shift3',
      'keypad:hex',
      'keypad:atm',
      'grp:lshift_toggle',
    ])('the text arrives exactly with the option %j, and the locks stay as they were', async (option) => {
      desk.setLayout('us,ru', option);
      for (const lockedMods of [CAPS, CAPS | NUM, SHIFT, LEVEL3 | LEVEL5]) {
        xkb.lock({ lockedMods, latchedMods: 0, latchedGroup: 0 });
        await desk.display.sync();
        await typeAndRead(TEXT);
        expect((await xkb.getState()).lockedMods).toBe(lockedMods);
        xkb.unlock();
      }
    });

    test.each(['de:neo', 'fr:bepo', 'fr:bepo_latin9', 'be:oss_latin9', 'ca:multix', 'jp'])(
      'the layout %s is typed exactly whatever is locked',
      async (layout) => {
        desk.setLayout(layout);
        for (const lockedMods of [0, CAPS, NUM, LEVEL5, LEVEL3, 0xff]) {
          xkb.lock({ lockedMods, latchedMods: 0, latchedGroup: 0 });
          await desk.display.sync();
          // Without W and Ä: on Neo their keys also have PageDown and Insert, which a terminal handles itself with
          // Shift, for a person too.
          await typeAndRead('Hello Neo [] 1!2"3 ÖÜ мир');
          xkb.unlock();
        }
      },
    );

    test.each([SHIFT, CAPS, LEVEL3, LEVEL5])(
      'a latch stays for the next key that a person presses: %i',
      async (latchedMods) => {
        xkb.lock({ lockedMods: 0, latchedMods, latchedGroup: 0 });
        await desk.display.sync();
        await typeAndRead(TEXT);
        expect((await xkb.getState()).latchedMods).toBe(latchedMods);
      },
    );

    test('a layout that is latched for the next key is not typed in', async () => {
      desk.setLayout('us,ru');
      xkb.lock({ lockedMods: 0, latchedMods: 0, latchedGroup: 1 });
      expect((await xkb.getState()).group).toBe(1);
      await typeAndRead(TEXT);
      expect((await xkb.getState()).group).toBe(0);
    });

    test('a fourth layout is typed exactly too', async () => {
      desk.setLayout('us,fr,gr,ru');
      await desk.setGroup(3);
      xkb.lock({ lockedMods: CAPS, latchedMods: 0, latchedGroup: 0 });
      await desk.display.sync();
      await typeAndRead(TEXT);
      await desk.setGroup(0);
    });

    test.each(['CapsLock', 'NumLock'])('%s itself is pressed, and switches its lock on and off', async (key) => {
      await agent.keyboard.press([key]);
      expect((await xkb.getState()).lockedMods).not.toBe(0);
      await agent.keyboard.press([key]);
      expect((await xkb.getState()).lockedMods).toBe(0);
    });

    test.each([
      ['Slow Keys', 0b10],
      ['Bounce Keys', 0b100],
      ['Mouse Keys', 0b1_0000],
      ['all three', 0b1_0110],
    ])('typing is not swallowed by %s, which stay on', async (_, filters) => {
      xkb.setKeyFilters(filters, true);
      expect(await xkb.getKeyFilters()).toBe(filters);
      await typeAndRead(`${TEXT} aabbcc`);
      expect(await xkb.getKeyFilters()).toBe(filters);
    });

    test('a keyboard that somebody changes during typing is not answered with ok', async () => {
      const typing = agent.keyboard.type(createCharacters(0x4e00, 200));
      const changeTimer = setInterval(() => {
        xkb.lock({ lockedMods: CAPS, latchedMods: 0, latchedGroup: 0 });
        void desk.display.sync();
      }, 5);
      await expect(typing.finally(() => clearInterval(changeTimer))).rejects.toThrow('changed during typing');
      await waitFor('the typed part is there', () => Array.from(sink.getText()).length >= 72);
    });
  });

  test('progress is reported while a long text is typed', async () => {
    let parts = 0;
    await agent.keyboard.type(createCharacters(0x5e00, 200), () => {
      parts += 1;
    });
    await sink.waitForText(createCharacters(0x5e00, 200));
    expect(parts).toBe(3);
  });

  test('a text of 200 characters that no key has changes the keyboard three times, and again at the end', async () => {
    let changeCount = 0;
    const observer = await openDisplay(desk.name);
    observer.onEvent(({ name }) => {
      if (name === 'MappingNotify') changeCount += 1;
    });
    const text = createCharacters(0x6e00, 200);
    const path = join(folder, 'few.json');
    const otherAgent = await openXDesktop({ display: desk.name, heldPath: path });
    await otherAgent.keyboard.type(text);
    await sink.waitForText(text);
    await observer.sync();
    const typingChanges = changeCount;
    await otherAgent[Symbol.asyncDispose]();
    await observer.sync();
    await observer[Symbol.asyncDispose]();
    expect([typingChanges, changeCount - typingChanges]).toEqual([3, 1]);
  });

  test.each([
    ['Shift', 50],
    ['Ctrl', 37],
    ['Alt', 64],
  ])('a %s that somebody holds is released before typing, and is not pressed again', async (_, keycode) => {
    desk.display.fakeKey(keycode, true);
    await desk.display.sync();
    await typeAndRead('abc дом');
    expect(await desk.listKeysDown()).toEqual([]);
  });

  test.each([
    ['l', 46],
    ['Space', 65],
    ['Return', 36],
  ])('a key of the text that somebody holds (%s) types its character nevertheless', async (_, keycode) => {
    desk.display.fakeKey(keycode, true);
    await desk.display.sync();
    sink.clear();
    expect(await agent.keyboard.type('hello all of you\n')).toEqual({ dropped: [] });
    await waitFor('the text is there', () => sink.getText().endsWith('hello all of you\r'));
    expect(await desk.listKeysDown()).toEqual([]);
  });

  test('without a Shift key capitals arrive exactly, and no key that is listed as a modifier is lent', async () => {
    desk.display.x.ChangeKeyboardMapping(50, 1, [0]);
    desk.display.x.ChangeKeyboardMapping(62, 1, [0]);
    await desk.display.sync();
    await typeAndRead('Hello World !? é мир');
  });

  const LONG_TEXT = createCharacters(0x7000, 200);

  test('a text into which somebody types is not answered with ok', async () => {
    const typing = agent.keyboard.type(LONG_TEXT, () => {
      desk.display.fakeKey(53, true);
      desk.display.fakeKey(53, false);
      void desk.display.sync();
    });
    await expect(typing).rejects.toThrow('Another key was pressed on that computer during typing');
  });

  test('a text whose window loses the focus is not answered with ok, and the rest is not typed elsewhere', async () => {
    const { x, request, sync } = desk.display;
    const { focus: terminal } = await request<{ readonly focus: number }>((done) => x.GetInputFocus(done));
    async function refocus(): Promise<void> {
      x.SetInputFocus(terminal, 0);
      await sync();
    }
    await using recorder = await openInputRecorder(desk);
    await refocus();
    recorder.clear();
    const typing = agent.keyboard.type(LONG_TEXT, () => void recorder.focus());
    await expect(typing).rejects.toThrow('Another window took the focus on that computer during typing');
    expect(recorder.listSeen()).toEqual([]);
    await refocus();
  });

  test('a text without a window that receives it is refused', async () => {
    await using other = await startDesktop();
    await using otherAgent = await openXDesktop({ display: other.name, heldPath: join(folder, 'nobody.json') });
    await expect(otherAgent.keyboard.type('hello')).rejects.toThrow(
      'No window on that computer has the keyboard focus',
    );
    expect(await otherAgent.keyboard.type('\u0007')).toEqual({ dropped: ['\u0007'] });
  });

  test('a menu or a launcher that grabs the keyboard receives a text although no window has the focus', async () => {
    await using other = await startDesktop();
    await using otherAgent = await openXDesktop({ display: other.name, heldPath: join(folder, 'menu.json') });
    await using menu = await openDisplay(other.name);
    const status = await menu.request<number>((done) => menu.x.GrabKeyboard(menu.root, 0, 0, 1, 1, done));
    expect(status).toBe(0);
    const seen: string[] = [];
    menu.onEvent(({ name }) => void seen.push(name));
    expect(await otherAgent.keyboard.type('hello')).toEqual({ dropped: [] });
    await waitFor('the menu has it', () => seen.filter((name) => name === 'KeyPress').length === 5);
  });

  test.skipIf(getSkipReason('zenity'))('a GTK program, which focuses a hidden window, receives a text', async () => {
    await using other = await startDesktop();
    await using otherAgent = await openXDesktop({ display: other.name, heldPath: join(folder, 'gtk.json') });
    const dialog = spawn('zenity', ['--entry'], {
      env: { ...other.env, NO_AT_BRIDGE: '1' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const output = readText(dialog.stdout);
    await other.waitForFocus();
    expect(await otherAgent.keyboard.type('Hello, GTK!\n')).toEqual({ dropped: [] });
    expect(await output).toBe('Hello, GTK!\n');
  });

  test('characters that no key can type are named, and the rest is typed', async () => {
    const result = await agent.keyboard.type('a\u0007b\ud800c\u007fd');
    expect(result.dropped).toEqual(['\u0007', '\ud800', '\u007f']);
    await sink.waitForText('abcd');
  });

  test('concurrent texts are typed one after the other', async () => {
    await Promise.all(['eins ', 'два ', '三 ', 'four'].map((text) => agent.keyboard.type(text)));
    await sink.waitForText('eins два 三 four');
  });

  test('a keycode is not reused before the program had time to look up its keysym', async () => {
    const first = createCharacters(0x3041, 72);
    const second = createCharacters(0x5041, 72);
    const startedAt = performance.now();
    await agent.keyboard.type(first);
    await agent.keyboard.type(second);
    await sink.waitForText(first + second);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(MIN_REUSE_DELAY_MS);
  });

  test('lent keycodes are free again at the end, and after a kill at the next start', async () => {
    const countFreeKeycodes = async (): Promise<number> =>
      (await readKeyboard(desk.display)).rows.filter((row) => row.every((keysym) => keysym === 0)).length;
    const before = await countFreeKeycodes();
    const path = join(folder, 'other.json');
    const closedAgent = await openXDesktop({ display: desk.name, heldPath: path });
    await closedAgent.keyboard.type('ელენე');
    expect(await countFreeKeycodes()).toBeLessThan(before);
    await closedAgent[Symbol.asyncDispose]();
    expect(await countFreeKeycodes()).toBe(before);

    const killedAgent = await openXDesktop({ display: desk.name, heldPath: path });
    await killedAgent.keyboard.type('ელენე');
    expect(readLeftovers(path)?.scratch).not.toEqual([]);
    const next = await openXDesktop({ display: desk.name, heldPath: path });
    await desk.display.sync();
    expect(await countFreeKeycodes()).toBe(before);
    await next[Symbol.asyncDispose]();
    await killedAgent[Symbol.asyncDispose]();
  });
});
