import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import x11, { type XKeyboard } from 'x11';
import { openDisplay, type Display } from '#platform/agent/drivers/x11/display.ts';
import { readKeyboard } from '#platform/agent/drivers/x11/keyboardLayout.ts';

/** Even a machine with much else to do comes to it in this time. */
const TIMEOUT_MS = 20_000;
const MIN_POLL_INTERVAL_MS = 10;
/** Whoever has waited for long looks less often: a look may be a call to the server, which has other things to do. */
const MAX_POLL_INTERVAL_MS = 100;
const WIDTH = 1280;
const HEIGHT = 800;
/** Whoever loses the focus gives it to the root window's pointer (X11 protocol, SetInputFocus). */
const REVERT_TO_ROOT = 1;
/** Who asks for another window (Extended Window Manager Hints, source indication): not a program for itself, but the person. */
const A_PAGER = 2;

/** Waits until the check gives something other than false or undefined. @throws with `what` when it never does. */
export async function waitFor<T>(what: string, check: () => T | Promise<T>): Promise<Exclude<T, false | undefined>> {
  const began = performance.now();
  for (;;) {
    const found = await check();
    if (found !== undefined && found !== false) return found as Exclude<T, false | undefined>;
    const waited = performance.now() - began;
    if (waited > TIMEOUT_MS) throw new Error(`waited in vain: ${what}`);
    await new Promise((done) => setTimeout(done, Math.min(MIN_POLL_INTERVAL_MS + waited / 10, MAX_POLL_INTERVAL_MS)));
  }
}

/** A desktop of its own: X server, window manager, no sound and nobody at it. */
export interface TestDesktop extends AsyncDisposable {
  /** Such as ':99'. */
  readonly name: string;
  /** The tests' own connection. */
  readonly display: Display;
  /** The environment of programs that shall appear on it. */
  readonly env: NodeJS.ProcessEnv;
  /** Starts the window manager, where the desktop was begun without one. */
  readonly startWindowManager: () => Promise<void>;
  /** Sets the keyboard's layout, such as 'de' or 'us,fr', and its options, such as 'caps:none'; it also clears leftover scratch keys. */
  readonly setLayout: (layout: string, options?: string) => void;
  /** Switches to the first (0) or another one of several layouts, as a desktop's own key for it does. */
  readonly setGroup: (group: number) => Promise<void>;
  /** Asks the window manager to give a window the focus, as a pager does: whether a new one gets it by itself is the manager's policy. */
  readonly activate: (window: number) => Promise<void>;
  /** Settles once some window has the focus, as the window manager sees it: the newest, where it gives it to none by itself. */
  readonly waitForFocus: () => Promise<void>;
  /** Settles once the window manager has seen that this window went away: one opened before that would lose the focus to another. */
  readonly waitForClose: (window: number) => Promise<void>;
  /** Keycodes that are down, as the X server says. */
  readonly listKeysDown: () => Promise<readonly number[]>;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;
const end = async (child: ChildProcess): Promise<void> => {
  if (hasEnded(child)) return;
  const gone = new Promise((done) => child.once('exit', done));
  child.kill('SIGKILL');
  await gone;
};

const startXvfb = async (): Promise<{ readonly child: ChildProcess; readonly name: string }> => {
  const child = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', `${WIDTH}x${HEIGHT}x24`, '-nolisten', 'tcp', '-noreset'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  );
  const pipe = child.stdio[3];
  const name = await new Promise<string>((resolve, reject) => {
    let said = '';
    pipe?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.endsWith('\n')) resolve(`:${said.trim()}`);
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error('Xvfb ended')));
  });
  return { child, name };
};

/** The type is 0 where there is no such property. */
const typedProperty = async (display: Display, window: number, name: string) => {
  const { x, request } = display;
  const atom = await request<number>((done) => x.InternAtom(false, name, done));
  return request<{ readonly type: number; readonly data: Buffer }>((done) =>
    x.GetProperty(0, window, atom, 0, 0, 64, done),
  );
};
const property = async (display: Display, window: number, name: string): Promise<Buffer> =>
  (await typedProperty(display, window, name)).data;

/** The window that has the focus as the window manager sees it; undefined while there is none, or one that just went away. */
const activeWindow = async (display: Display): Promise<number | undefined> => {
  const data = await property(display, display.root, '_NET_ACTIVE_WINDOW');
  return data.length >= 4 ? data.readUInt32LE(0) || undefined : undefined;
};

const pidOf = async (display: Display, window: number): Promise<number | undefined> => {
  const data = await property(display, window, '_NET_WM_PID').catch(() => undefined);
  return data && data.length >= 4 ? data.readUInt32LE(0) : undefined;
};

/** The windows that the window manager has. */
const managedWindows = async (display: Display): Promise<readonly number[]> => {
  const data = await property(display, display.root, '_NET_CLIENT_LIST');
  return Array.from({ length: data.length / 4 }, (_, at) => data.readUInt32LE(at * 4));
};

/** Starts Xvfb and openbox on a display that nobody has. */
export async function startDesktop({ isManaged = true } = {}): Promise<TestDesktop> {
  const { child: server, name } = await startXvfb();
  const env = { ...process.env, DISPLAY: name, LC_ALL: 'C.UTF-8', XAUTHORITY: '/dev/null', WAYLAND_DISPLAY: '' };
  const display = await openDisplay(name);
  let isOver = false;
  let manager: ChildProcess | undefined;
  const startManager = (): ChildProcess => {
    // With each change of the keyboard map openbox reads the whole table of compose keys again; many changes held it up for half a minute.
    const own = join(import.meta.dirname, 'openbox.xml');
    manager = spawn('openbox', ['--config-file', own], {
      env: { ...env, XCOMPOSEFILE: '/dev/null' },
      stdio: 'ignore',
    });
    return manager;
  };
  const manage = async (): Promise<void> => {
    // It ends itself at rare moments, and is started again once, as a desktop's session does.
    startManager().once('exit', () => {
      if (!isOver && !hasEnded(server)) startManager();
    });
    await waitFor('openbox manages the display', async () => {
      // Openbox says that it is there, takes the focus to itself, and lists its windows, in this order.
      const { type } = await typedProperty(display, display.root, '_NET_CLIENT_LIST');
      return type !== 0;
    });
  };
  if (isManaged) await manage();
  const activate = async (window: number): Promise<void> => {
    const { SubstructureNotify, SubstructureRedirect } = x11.eventMask;
    const mask = SubstructureNotify | SubstructureRedirect;
    const atom = await display.request<number>((done) => display.x.InternAtom(false, '_NET_ACTIVE_WINDOW', done));
    display.x.SendClientMessage(display.root, window, atom, 32, [A_PAGER, 0, 0, 0, 0], mask, () => true);
    await display.sync();
  };
  return {
    name,
    display,
    env,
    startWindowManager: manage,
    setLayout: (layout, options = '') => {
      const [plain = '', variant = ''] = layout.split(':');
      const words = ['-layout', plain, '-variant', variant, '-option', '', '-option', options];
      const set = spawnSync('setxkbmap', ['-display', name, ...words], { env });
      if (set.status !== 0) throw new Error(`setxkbmap ${layout}: ${set.stderr.toString()}`);
    },
    setGroup: async (group) => {
      const { x } = display;
      const xkb = await new Promise<XKeyboard>((resolve, reject) => {
        x.require('xkb', (error, extension) => {
          if (error) reject(error);
          else resolve(extension);
        });
      });
      xkb.LatchLockState(xkb.UseCoreKbd, 0, 0, true, group, 0, 0, false, 0);
      await display.sync();
    },
    activate,
    waitForFocus: async () => {
      await waitFor('a window has the focus', async () => {
        if ((await activeWindow(display)) !== undefined) return true;
        const newest = (await managedWindows(display)).at(-1);
        if (newest !== undefined) await activate(newest);
        return false;
      });
    },
    waitForClose: async (window) => {
      // One that has ended for good gives the focus to nobody any more.
      await waitFor(
        'the window is gone',
        async () => !manager || hasEnded(manager) || !(await managedWindows(display)).includes(window),
      );
    },
    listKeysDown: async () => (await readKeyboard(display)).down,
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      await display[Symbol.asyncDispose]();
      if (manager) await end(manager);
      await end(server);
    },
  };
}

/** A terminal that has the focus and hands on what is typed into it, byte for byte. */
export interface TerminalSink extends AsyncDisposable {
  /** What was typed since the last `clear`; Return is '\r'. */
  readonly getText: () => string;
  readonly clear: () => void;
  /** Settles as soon as the text is this one. @throws with what stands there when it does not come. */
  readonly waitForText: (text: string) => Promise<void>;
}

/** Opens an xterm over the desktop whose program writes what it reads into a pipe of ours. */
export async function openTerminalSink(desktop: TestDesktop): Promise<TerminalSink> {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-sink-'));
  const path = join(folder, 'pipe');
  spawnSync('mkfifo', [path]);
  // Opened for both, so that neither end waits for the other.
  const pipe = new Socket({ fd: openSync(path, 'r+'), readable: true, writable: false });
  let chunks: Buffer[] = [];
  const lookers = new Set<() => void>();
  pipe.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    for (const look of lookers) look();
  });
  const text = (): string => Buffer.concat(chunks).toString('utf8');
  const script = 'stty raw -echo; printf ready > "$0"; exec cat > "$0"';
  const terminal = spawn('xterm', ['-u8', '-e', 'sh', '-c', script, path], { env: desktop.env, stdio: 'ignore' });
  await waitFor('the terminal is ready', () => text() === 'ready');
  const own = await waitFor('the terminal has the focus', async () => {
    const { display } = desktop;
    for (const window of await managedWindows(display)) {
      if ((await pidOf(display, window)) !== terminal.pid) continue;
      if ((await activeWindow(display)) === window) return window;
      await desktop.activate(window);
    }
    return undefined;
  });
  chunks = [];
  return {
    getText: text,
    clear: () => {
      chunks = [];
    },
    waitForText: (wanted) =>
      new Promise((resolve, reject) => {
        const stop = (): void => {
          clearTimeout(patience);
          lookers.delete(look);
        };
        const look = (): void => {
          if (text() !== wanted) return;
          stop();
          resolve();
        };
        const patience = setTimeout(() => {
          stop();
          reject(new Error(`wanted ${JSON.stringify(wanted)}, there stands ${JSON.stringify(text())}`));
        }, TIMEOUT_MS / 2);
        lookers.add(look);
        look();
      }),
    [Symbol.asyncDispose]: async () => {
      await end(terminal);
      pipe.destroy();
      await desktop.waitForClose(own);
      await rm(folder, { recursive: true });
    },
  };
}

/** What an X client of its own saw: `+37/0` is keycode 37 pressed while the modifiers' mask was 0, `-37/4` let go; `b+1/0` a button. */
export interface InputRecorder extends AsyncDisposable {
  readonly listSeen: () => readonly string[];
  readonly clear: () => void;
  readonly waitFor: (what: string, holds: (seen: readonly string[]) => boolean) => Promise<void>;
  /** Runs once, at the very moment the next thing is seen. */
  readonly onFirst: (then: () => void) => void;
  /** Takes the focus back from another window. */
  readonly focus: () => Promise<void>;
  /** Where the pointer is on the screen. */
  readonly getPointer: () => Promise<{ readonly x: number; readonly y: number }>;
  /** Puts the pointer into the middle of the recording window. */
  readonly centrePointer: () => Promise<void>;
}

const marks: Readonly<Record<string, string>> = {
  KeyPress: '+',
  KeyRelease: '-',
  ButtonPress: 'b+',
  ButtonRelease: 'b-',
};

/** Opens a window with the focus that writes down every key and button. */
export async function openInputRecorder(desktop: TestDesktop): Promise<InputRecorder> {
  const own = await openDisplay(desktop.name);
  const { x, root, request } = own;
  const { KeyPress, KeyRelease, ButtonPress, ButtonRelease } = x11.eventMask;
  const window = x.AllocID();
  let seen: string[] = [];
  let first: (() => void) | undefined;
  own.onEvent(({ name, keycode, buttons }) => {
    const mark = marks[name];
    if (mark === undefined) return;
    seen.push(`${mark}${keycode}/${buttons}`);
    const then = first;
    first = undefined;
    then?.();
  });
  x.CreateWindow(window, root, 100, 100, 400, 300, 0, 0, 0, 0, {
    eventMask: KeyPress | KeyRelease | ButtonPress | ButtonRelease,
    // The window manager leaves it alone: it is there at once, and stays where it is.
    overrideRedirect: true,
  });
  x.MapWindow(window);
  await own.sync();
  const focus = async (): Promise<void> => {
    await waitFor('the recorder has the focus', async () => {
      // At each look: a window that opened meanwhile may have taken it.
      x.SetInputFocus(window, REVERT_TO_ROOT);
      const { focus: focused } = await request<{ readonly focus: number }>((done) => x.GetInputFocus(done));
      return focused === window;
    });
  };
  await focus();
  const pointer = async (): Promise<{ readonly x: number; readonly y: number }> => {
    const { rootX, rootY } = await request<{ readonly rootX: number; readonly rootY: number }>((done) =>
      x.QueryPointer(root, done),
    );
    return { x: rootX, y: rootY };
  };
  return {
    listSeen: () => seen,
    clear: () => {
      seen = [];
    },
    waitFor: async (what, holds) => {
      await waitFor(what, () => holds(seen)).catch((cause: unknown) => {
        throw new Error(`${what}; seen: ${seen.join(' ')}`, { cause });
      });
    },
    onFirst: (then) => {
      first = then;
    },
    focus,
    getPointer: pointer,
    centrePointer: async () => {
      x.WarpPointer(0, window, 0, 0, 0, 0, 200, 150);
      await own.sync();
    },
    [Symbol.asyncDispose]: () => own[Symbol.asyncDispose](),
  };
}

/**
 * Stops the process (SIGSTOP) while it holds keys: `press` makes it press some, and it is stopped as the first of them is seen.
 * One that let go too soon is woken and asked again. Gives the keycodes that are down.
 */
export async function stopWhileHolding(
  desktop: TestDesktop,
  recorder: InputRecorder,
  pid: number,
  press: () => Promise<unknown>,
): Promise<readonly number[]> {
  for (;;) {
    recorder.clear();
    recorder.onFirst(() => process.kill(pid, 'SIGSTOP'));
    const pressed = press().catch(() => undefined); // a stopped agent does not answer
    await recorder.waitFor('a key is pressed', (seen) => seen.length > 0);
    const down = await desktop.listKeysDown();
    if (down.length > 0) return down;
    process.kill(pid, 'SIGCONT');
    await pressed;
  }
}
