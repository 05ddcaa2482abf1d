import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeDesktop } from '#testing/desktops/describeDesktop.ts';
import { PROSE, SAMPLE_TEXTS, SIX_HUNDRED_CHARACTERS } from '#testing/kits/desktop/sampleTexts.ts';
import type { Notepad } from '#testing/kits/desktop/windowsHost.ts';
import {
  getWineSkipReason,
  startWindows,
  WINDOWS_START_TIMEOUT_MS,
  toWindowsPath,
  toWindowsUrl,
  type WindowsDesktop,
} from '#testing/kits/desktop/wine.ts';
import type { DesktopSession } from '../desktopSession.ts';

describeDesktop('Windows', { missing: getWineSkipReason(), isExtra: true }, () => {
  let windows: WindowsDesktop;
  beforeAll(async () => {
    windows = await startWindows();
    await windows.run(
      async (host, heldPath) => {
        host.values.set('session', await host.openSession({ heldPath }));
        host.values.set('notepad', await host.openNotepad());
      },
      toWindowsPath(join(windows.folder, 'held.json')),
    );
  }, WINDOWS_START_TIMEOUT_MS);
  afterAll(async () => {
    await windows?.run(async ({ values }) => {
      await (values.get('notepad') as Notepad).close();
      await (values.get('session') as DesktopSession)[Symbol.asyncDispose]();
    });
    await windows?.[Symbol.asyncDispose]();
  });

  const type = (text: string) =>
    windows.run(async ({ values }, typed) => {
      const session = values.get('session') as DesktopSession;
      const startedAt = performance.now();
      const { dropped } = await session.keyboard.type(typed);
      return { dropped, sentMs: performance.now() - startedAt };
    }, text);
  const press = (...keys: string[]) =>
    windows.run(async ({ values }, pressed) => (values.get('session') as DesktopSession).keyboard.press(pressed), keys);
  /** Presses a key of the person's keyboard. */
  const tap = (code: number) =>
    windows.run(({ injector }, tapped) => {
      for (const isDown of [true, false])
        injector.send([injector.toKeyInput({ code: tapped, isExtended: false }, isDown)]);
    }, code);
  const getText = () => windows.run(({ values }) => (values.get('notepad') as Notepad).getText());
  const setText = (text: string) =>
    windows.run(({ values }, next) => (values.get('notepad') as Notepad).setText(next), text);

  test('is recognised, with everything that it can do', async () => {
    const abilities = await windows.run(({ values }) => {
      const { name, keyboard, mouse, clipboard, windows: driver } = values.get('session') as DesktopSession;
      return [name, keyboard.ability, mouse.ability, clipboard.ability, driver.ability];
    });
    expect(abilities).toEqual(['Windows desktop', { able: true }, { able: true }, { able: true }, { able: true }]);
  });

  test.each([...SAMPLE_TEXTS, ['six hundred different characters', SIX_HUNDRED_CHARACTERS] as const])(
    '%s arrive exactly',
    async (_, text) => {
      await setText('');
      expect((await type(text)).dropped).toEqual([]);
      await expect.poll(getText).toBe(text);
    },
  );

  test('two hundred characters are sent quickly', async () => {
    await setText('');
    const startedAt = performance.now();
    const { sentMs } = await type(PROSE);
    await expect.poll(getText, { interval: 5 }).toBe(PROSE);
    process.stdout.write(
      `200 characters: sent in ${sentMs.toFixed(0)} ms, received after ${(performance.now() - startedAt).toFixed(0)} ms\n`,
    );
    expect(sentMs).toBeLessThan(1000);
  });

  test('control characters are named, and the rest is typed', async () => {
    await setText('');
    expect((await type('a\u0007b\u0000c')).dropped).toEqual(['\u0007', '\u0000']);
    await expect.poll(getText).toBe('abc');
  });

  test('text arrives unharmed while somebody holds modifiers', async () => {
    for (const code of [0xa0, 0xa2, 0xa4]) {
      await setText('');
      await windows.run(({ injector }, held) => {
        injector.send([injector.toKeyInput({ code: held, isExtended: false }, true)]);
      }, code);
      await type('aBcß');
      await expect.poll(getText).toBe('aBcß');
      expect(await windows.run(({ injector }, held) => injector.isDown(held), code)).toBe(false);
    }
  });

  test('Caps Lock changes no text, and stays on', async () => {
    const [CAPS_LOCK, A] = [0x14, 0x41];
    await setText('');
    await tap(CAPS_LOCK);
    await type('aBcß');
    await tap(A);
    await expect.poll(getText).toBe('aBcßA');
    await press('Ctrl', 'a');
    await type('x');
    await tap(CAPS_LOCK);
    await tap(A);
    await expect.poll(getText).toBe('xa');
  });

  test('shortcuts cut and paste, and signs are pressed with the modifiers that they need', async () => {
    await setText('');
    await type('cut me');
    await expect.poll(getText).toBe('cut me');
    await press('Ctrl', 'a');
    await press('Ctrl', 'x');
    await expect.poll(getText).toBe('');
    await press('Ctrl', 'v');
    await expect.poll(getText).toBe('cut me');
    for (const key of ['End', 'Minus', '+', 'KP_Multiply', 'Space', 'x', 'Left', 'Del']) await press(key);
    await expect.poll(getText).toBe('cut me-+* ');
    await press('Shift', 'Home');
    await press('Backspace');
    await expect.poll(getText).toBe('');
  });

  test('shortcuts that Windows keeps for itself and keys that do not exist are refused with a sentence', async () => {
    await expect(press('Ctrl', 'Alt', 'Del')).rejects.toThrow('Ctrl-Alt-Del is reserved by the system');
    await expect(press('Gui', 'l')).rejects.toThrow('Gui-l is reserved by the system');
    await expect(press('MicMute')).rejects.toThrow("has no key 'MicMute'");
  });

  test('the pointer moves by exactly the requested pixels, and stays on the screen', async () => {
    const readPosition = () =>
      windows.run(({ openUser32 }) => {
        const point = Buffer.alloc(8);
        openUser32().functions.GetCursorPos(point);
        return [point.readInt32LE(0), point.readInt32LE(4)];
      });
    const move = (dx: number, dy: number) =>
      windows.run(({ values }, x, y) => (values.get('session') as DesktopSession).mouse.move(x, y), dx, dy);
    await windows.run(({ values }) => (values.get('session') as DesktopSession).mouse.centre());
    await expect.poll(readPosition).toEqual([640, 400]);
    let [x, y] = [640, 400];
    for (let step = 0; step < 50; step++) {
      const [dx, dy] = [((step * 37) % 101) - 50, ((step * 53) % 61) - 30];
      await move(dx, dy);
      [x, y] = [x + dx, y + dy];
      await expect.poll(readPosition).toEqual([x, y]);
    }
    await move(-5000, -5000);
    await expect.poll(readPosition).toEqual([0, 0]);
    await move(5000, 5000);
    await expect.poll(readPosition).toEqual([1279, 799]);
  });

  test('buttons are held until they are released', async () => {
    const setLeft = (isDown: boolean) =>
      windows.run(({ values }, down) => {
        const session = values.get('session') as DesktopSession;
        session.mouse.centre();
        session.mouse.button('right', down);
      }, isDown);
    const isDown = () => windows.run(({ injector }) => injector.isDown(2));
    await setLeft(true);
    await expect.poll(isDown).toBe(true);
    await windows.run(({ values }) => (values.get('session') as DesktopSession).mouse.releaseAll());
    await expect.poll(isDown).toBe(false);
    await press('Esc');
  });

  const writeClipboard = (text: string) =>
    windows.run(({ values }, next) => (values.get('session') as DesktopSession).clipboard.write(next), text);
  const readClipboard = () => windows.run(({ values }) => (values.get('session') as DesktopSession).clipboard.read());

  test('text is put on the clipboard and read from it, however long', async () => {
    for (const text of ['Grüße 👋\nмир', 'x'.repeat(200_000), '']) {
      await writeClipboard(text);
      expect(await readClipboard()).toBe(text);
    }
    await setText('');
    await writeClipboard('from the phone 👋\nmир');
    await press('Ctrl', 'v');
    await expect.poll(getText).toBe('from the phone 👋\nmир');
    await setText('copied');
    await press('Ctrl', 'a');
    await press('Ctrl', 'c');
    await expect.poll(readClipboard).toBe('copied');
  });

  test('a clipboard that another program keeps open is refused with a sentence', async () => {
    const program = windows.startNode([
      '-e',
      `const { functions } = require('node:ffi').dlopen('user32.dll', {
        GetDesktopWindow: { arguments: [], return: 'pointer' },
        OpenClipboard: { arguments: ['pointer'], return: 'int32' },
      });
      // Wine lets two programs open it if neither names a window.
      if (functions.OpenClipboard(functions.GetDesktopWindow())) console.log('open');
      setTimeout(() => {}, 60000);`,
    ]);
    await expect.poll(program.getOutput).toContain('open');
    await expect(readClipboard()).rejects.toThrow('keeps the clipboard open');
    await program[Symbol.asyncDispose]();
    await expect.poll(() => readClipboard().catch(() => 'busy')).not.toBe('busy');
  });

  test('the window with the focus and all others are known by program and title', async () => {
    const found = await windows.run(async ({ values, openNotepad, openUser32 }) => {
      const { windows: driver } = values.get('session') as DesktopSession;
      const change = { at: 0 };
      driver.onChange(() => {
        change.at ||= performance.now();
      });
      const user32 = openUser32().functions;
      const first = values.get('notepad') as Notepad;
      const second = await openNotepad();
      while (driver.getActive()?.id !== Number(second.window)) await new Promise((resolve) => setTimeout(resolve, 5));
      const active = driver.getActive();
      const title = await driver.getTitle(active?.id ?? 0);
      // It has the focus before it is shown.
      let open = driver.listOpen();
      while (open.length < 2) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        open = driver.listOpen();
      }
      change.at = 0;
      let focusedAt = 0;
      const closed = second.close();
      while (change.at === 0) {
        if (focusedAt === 0 && user32.GetForegroundWindow() !== second.window) focusedAt = performance.now();
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      await closed;
      await first.focus();
      return { active, title, open, pids: [first.child.pid, second.child.pid], changeMs: change.at - focusedAt };
    });
    expect(found.active).toMatchObject({ application: 'notepad', pid: found.pids[1] });
    expect(found.title).toBe('Untitled - Notepad');
    expect(found.open.map(({ pid }) => pid)).toEqual(expect.arrayContaining(found.pids));
    expect(found.open.every(({ application }) => application === 'notepad')).toBe(true);
    process.stdout.write(`a change of the focus was reported after ${found.changeMs.toFixed(0)} ms\n`);
    expect(found.changeMs).toBeLessThan(1000);
  });

  test('a program ends with its exit code while it follows the windows', async () => {
    const [driver, threads] = ['windows.ts', 'threads.ts'].map((name) => toWindowsUrl(join(import.meta.dirname, name)));
    await using program = windows.startNode([
      '-e',
      `Promise.all([import('${driver}'), import('${threads}')]).then(([{ openWindowsOfWindows }, { killIfThreadHangs }]) => {
        openWindowsOfWindows({ isHigher: () => false });
        process.once('exit', killIfThreadHangs);
        setTimeout(() => process.exit(7), 1500);
      });`,
    ]);
    expect(await once(program.child, 'exit')).toEqual([7, null]);
  });

  test('idle time grows without input, and ends with it', async () => {
    const idle = () => windows.run(({ values }) => (values.get('session') as DesktopSession).windows.getIdleMs());
    await expect.poll(idle).toBeGreaterThan(1500);
    await windows.run(({ values }) => (values.get('session') as DesktopSession).mouse.move(3, 3));
    await expect.poll(idle).toBeLessThan(1000);
  });

  test('hotkeys are heard, on their first press and while they are held, and not while the agent types', async () => {
    const { refused, presses, after } = await windows.run(async ({ values, injector, sleep }) => {
      const { hotkeys, keyboard } = values.get('session') as DesktopSession;
      const heard: (readonly [number, boolean])[] = [];
      const unavailable = await new Promise<ReadonlyMap<number, string>>((resolve) =>
        hotkeys.listen(
          [
            { modifiers: ['Ctrl', 'Alt'], key: 'r' },
            { modifiers: [], key: 'F9' },
            { modifiers: ['Ctrl'], key: 'MicMute' },
            { modifiers: [], key: 'F9' },
            { modifiers: ['Ctrl'], key: '+' },
          ],
          { onPress: (index, isRepeated) => void heard.push([index, isRepeated]), onStatus: resolve },
        ),
      );
      const send = (code: number, isDown: boolean) =>
        injector.send([injector.toKeyInput({ code, isExtended: false }, isDown)]);
      async function waitForPresses(count: number): Promise<void> {
        for (let attempt = 0; attempt < 500 && heard.length < count; attempt++) await sleep(20);
      }
      for (const code of [0x11, 0x12, 0x52]) send(code, true);
      for (const code of [0x52, 0x12, 0x11]) send(code, false);
      await waitForPresses(1);
      for (const count of [2, 3]) {
        send(0x78, true);
        await waitForPresses(count);
      }
      for (const isDown of [false, true, false]) send(0x78, isDown);
      await waitForPresses(4);
      const before = [...heard];
      await keyboard.press(['F9']);
      await sleep(200);
      const afterPress = heard.length;
      send(0x78, true);
      send(0x78, false);
      await waitForPresses(5);
      hotkeys.listen([], { onPress: () => undefined, onStatus: () => undefined });
      return { refused: [...unavailable], presses: before, after: [afterPress, heard.length] };
    });
    expect(refused).toEqual([
      [2, expect.stringContaining("has no key 'MicMute'")],
      [3, expect.stringContaining('already uses F9')],
    ]);
    expect(presses).toEqual([
      [0, false],
      [1, false],
      [1, true],
      [1, false],
    ]);
    expect(after).toEqual([4, 5]);
  });

  test('without a window typing is refused with a sentence', async () => {
    await windows.run(async ({ values }) => {
      await (values.get('notepad') as Notepad).close();
    });
    await expect(type('a')).rejects.toThrow('No window on that computer has the keyboard focus');
    await windows.run(async (host) => void host.values.set('notepad', await host.openNotepad()));
  });
});
