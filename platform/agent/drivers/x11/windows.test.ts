import { spawn, type ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import x11 from 'x11';
import { waitFor, startDesktop, type TestDesktop } from '#testing/kits/desktop/desktop.ts';
import { getSkipReason } from '#testing/machine.ts';
import type { OpenWindow, WindowsDriver } from '../drivers.ts';
import { createFakeDrivers } from '../fakeDrivers.ts';
import { parseWindowClass, openXWindows } from './windows.ts';

/** A computer on which windows open and close. */
interface WindowsFixture extends AsyncDisposable {
  readonly windows: WindowsDriver;
  /** Opens a focused window of an application with that name. */
  readonly show: (application: string, title: string) => Promise<OpenWindow>;
  readonly focus: (window: OpenWindow) => Promise<void>;
  readonly close: (window: OpenWindow) => Promise<void>;
  /** Simulates somebody who uses the computer. */
  readonly touchMouse: () => Promise<void>;
}

/** Behaviour of every windows driver, including the fake one. */
function testWindowsDriver(open: () => Promise<WindowsFixture>): void {
  test('it reports the open and the active windows as they change', async () => {
    await using fixture = await open();
    const { windows } = fixture;
    expect(windows.ability).toEqual({ able: true });
    const activeApplications: (string | undefined)[] = [];
    windows.onChange(() => void activeApplications.push(windows.getActive()?.application));
    const editor = await fixture.show('Editor', 'notes.txt');
    const player = await fixture.show('Player "ü" 🎵', 'Song');
    expect(windows.getActive()).toEqual(player);
    expect(windows.listOpen().map(({ application }) => application)).toEqual(['Editor', 'Player "ü" 🎵']);
    await fixture.focus(editor);
    await waitFor('the editor has the focus', () => windows.getActive()?.id === editor.id);
    await fixture.close(player);
    await waitFor('the player is gone', () => windows.listOpen().length === 1);
    expect(windows.getActive()).toEqual(editor);
    await fixture.close(editor);
    await waitFor('nothing is open', () => windows.listOpen().length === 0 && windows.getActive() === undefined);
    expect(activeApplications).toEqual(expect.arrayContaining(['Editor', 'Player "ü" 🎵', undefined]));
    expect(await windows.getTitle(editor.id)).toBe('');
  });

  test('it reads the title bar, and how long the computer has been idle', async () => {
    await using fixture = await open();
    const { windows } = fixture;
    const editor = await fixture.show('Editor', 'Äpfel – notes.txt');
    expect(await windows.getTitle(editor.id)).toBe('Äpfel – notes.txt');
    await waitFor('a touch resets the idle time', async () => {
      await fixture.touchMouse();
      return (await windows.getIdleMs()) < 1000;
    });
    await waitFor('time passes', async () => (await windows.getIdleMs()) >= 50);
  });
}

describe('the fake computer', () => {
  testWindowsDriver(async () => {
    const drivers = createFakeDrivers();
    let open: readonly (OpenWindow & { readonly title: string })[] = [];
    let lastTouchAt = performance.now();
    const timer = setInterval(() => drivers.setIdleMs(performance.now() - lastTouchAt), 5);
    return {
      windows: drivers.windows,
      show: async (application, title) => {
        const window = { id: open.length + 1, application, pid: 100, title };
        open = [...open, window];
        drivers.showWindows(open, window.id);
        return window;
      },
      focus: async ({ id }) => drivers.showWindows(open, id),
      close: async ({ id }) => {
        open = open.filter((one) => one.id !== id);
        drivers.showWindows(open);
      },
      touchMouse: async () => {
        lastTouchAt = performance.now();
        drivers.setIdleMs(0);
      },
      [Symbol.asyncDispose]: async () => clearInterval(timer),
    };
  });
});

test('an application is named after the class of its window, however that is encoded', () => {
  expect(parseWindowClass(Buffer.from('xterm\0XTerm\0'))).toBe('XTerm');
  expect(parseWindowClass(Buffer.from('only\0\0'))).toBe('only');
  expect(parseWindowClass(Buffer.from('a\0Müsli\0', 'latin1'))).toBe('Müsli');
  expect(parseWindowClass(Buffer.from('a\0Müsli\0'))).toBe('Müsli');
  expect(parseWindowClass(Buffer.alloc(0))).toBe('');
});

const skipReason = getSkipReason('Xvfb', 'openbox', 'xterm');
const LATIN1 = 31;
const CARDINAL = 6;
const ATOM = 4;

describe.skipIf(skipReason)(`a real desktop${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  let desk: TestDesktop;
  beforeAll(async () => {
    desk = await startDesktop();
  });
  afterAll(async () => {
    await desk?.[Symbol.asyncDispose]();
  });
  const internAtom = (name: string): Promise<number> =>
    desk.display.request((done) => desk.display.x.InternAtom(false, name, done));
  async function createWindow(application: string, title: string, type = 'NORMAL'): Promise<number> {
    const { x, root } = desk.display;
    const window = x.AllocID();
    x.CreateWindow(window, root, 10, 10, 200, 100, 0, 0, 0, 0, { eventMask: x11.eventMask.KeyPress });
    x.ChangeProperty(0, window, await internAtom('WM_CLASS'), LATIN1, 8, Buffer.from(`app\0${application}\0`));
    x.ChangeProperty(
      0,
      window,
      await internAtom('_NET_WM_NAME'),
      await internAtom('UTF8_STRING'),
      8,
      Buffer.from(title),
    );
    x.ChangeProperty(0, window, await internAtom('_NET_WM_PID'), CARDINAL, 32, [process.pid]);
    const types = [await internAtom(`_NET_WM_WINDOW_TYPE_${type}`)];
    x.ChangeProperty(0, window, await internAtom('_NET_WM_WINDOW_TYPE'), ATOM, 32, types);
    x.MapWindow(window);
    await desk.display.sync();
    return window;
  }

  testWindowsDriver(async () => {
    const windows = await openXWindows(desk.name);
    const { x } = desk.display;
    return {
      windows,
      show: async (application, title) => {
        const id = await createWindow(application, title);
        return waitFor(`${application} has the focus`, async () => {
          const active = windows.getActive();
          if (active?.id === id) return active;
          await desk.activate(id);
          return undefined;
        });
      },
      focus: ({ id }) => desk.activate(id),
      close: async ({ id }) => {
        x.DestroyWindow(id);
        await desk.display.sync();
      },
      touchMouse: async () => {
        desk.display.fakeMove(1, 1);
        await desk.display.sync();
      },
      [Symbol.asyncDispose]: () => windows[Symbol.asyncDispose](),
    };
  });

  test('a program without a class is named after its file, panels are no windows, and the display may disappear', async () => {
    await using windows = await openXWindows(desk.name);
    const panel = await createWindow('Panel', 'panel', 'DOCK');
    const unnamed = await createWindow('', 'x');
    desk.display.x.ChangeProperty(0, unnamed, await internAtom('WM_CLASS'), LATIN1, 8, Buffer.alloc(0));
    const terminal: ChildProcess = spawn('xterm', [], { env: desk.env, stdio: 'ignore' });
    const exited = new Promise((done) => terminal.once('exit', done));
    await waitFor('the terminal has the focus', () => windows.getActive()?.pid === terminal.pid);
    expect(windows.getActive()?.application).toBe('XTerm');
    expect(windows.listOpen().map(({ application }) => application)).not.toContain('Panel');
    terminal.kill('SIGKILL');
    await exited;
    await waitFor('the unnamed window has the focus', () => windows.getActive()?.id === unnamed);
    expect(windows.getActive()?.application).toMatch(/^node/);
    for (const window of [panel, unnamed]) desk.display.x.DestroyWindow(window);
  });

  test('without a window manager this is reported, and one that starts later is found', async () => {
    await using bare = await startDesktop({ isManaged: false });
    await using windows = await openXWindows(bare.name);
    expect(windows.ability).toEqual({ able: false, reason: expect.stringContaining('window manager') });
    await bare.startWindowManager();
    await waitFor('it is available', () => windows.ability.able);
  });
});
