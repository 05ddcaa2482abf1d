import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import x11, { type XKeyboard } from 'x11';
import { openDisplay, type Display } from '#platform/agent/drivers/x11/display.ts';
import { readKeyboard } from '#platform/agent/drivers/x11/keyboardLayout.ts';
import { endProcess, hasEnded } from './virtualDesktop.ts';

/** Long enough for a busy machine. */
const TIMEOUT_MS = 60_000;
const MIN_POLL_INTERVAL_MS = 10;
/** Polls become rarer: a check may be a call to a busy server. */
const MAX_POLL_INTERVAL_MS = 100;
const WIDTH = 1280;
const HEIGHT = 800;
/** If a window loses the focus, the pointer's root window gets it (X11 protocol, SetInputFocus). */
const REVERT_TO_ROOT = 1;
/** Requests come from the user, not from a program (Extended Window Manager Hints, source indication). */
const PAGER_SOURCE = 2;

/** Waits until the check returns something other than false or undefined. @throws with `what` after a timeout. */
export async function waitFor<T>(
  what: string,
  check: () => T | Promise<T>,
  timeoutMs = TIMEOUT_MS,
): Promise<Exclude<T, false | undefined>> {
  const startedAt = performance.now();
  for (;;) {
    const result = await check();
    if (result !== undefined && result !== false) return result as Exclude<T, false | undefined>;
    const waited = performance.now() - startedAt;
    if (waited > timeoutMs) throw new Error(`waited without success: ${what}`);
    await new Promise((resolve) =>
      setTimeout(resolve, Math.min(MIN_POLL_INTERVAL_MS + waited / 10, MAX_POLL_INTERVAL_MS)),
    );
  }
}

/** A separate desktop: X server and window manager, without sound. */
export interface TestDesktop extends AsyncDisposable {
  /** Such as ':99'. */
  readonly name: string;
  /** The connection of the tests. */
  readonly display: Display;
  /** Environment of programs that should appear on it. */
  readonly env: NodeJS.ProcessEnv;
  /** Starts the window manager, if the desktop was started without one. */
  readonly startWindowManager: () => Promise<void>;
  /**
   * Sets the layout of the keyboard ('de', 'us,fr') and its options ('caps:none'); also clears leftover scratch keys.
   */
  readonly setLayout: (layout: string, options?: string) => void;
  /** Switches to one of several layouts, starting at 0, like the desktop's own key. */
  readonly setGroup: (group: number) => Promise<void>;
  /**
   * Asks the window manager to focus a window, like a pager: its policy decides whether a new window gets the focus.
   */
  readonly activate: (window: number) => Promise<void>;
  /**
   * Resolves when a window has the focus according to the window manager: the newest one, if it focuses none itself.
   */
  readonly waitForFocus: () => Promise<void>;
  /**
   * Resolves when the window manager has noticed that this window closed. A window opened earlier would lose the focus.
   */
  readonly waitForClose: (window: number) => Promise<void>;
  /** Keycodes that are down, according to the X server. */
  readonly listKeysDown: () => Promise<readonly number[]>;
}

/** Starts an X server on a free display. */
export async function startXvfb(): Promise<{ readonly child: ChildProcess; readonly name: string }> {
  const child = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', `${WIDTH}x${HEIGHT}x24`, '-nolisten', 'tcp', '-noreset'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  );
  const pipe = child.stdio[3];
  const name = await new Promise<string>((resolve, reject) => {
    let output = '';
    pipe?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.endsWith('\n')) resolve(`:${output.trim()}`);
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error('Xvfb ended')));
  });
  return { child, name };
}

/** Returns type 0 if there is no such property. */
async function readTypedProperty(display: Display, window: number, name: string) {
  const { x, request } = display;
  const atom = await request<number>((resolve) => x.InternAtom(false, name, resolve));
  return request<{ readonly type: number; readonly data: Buffer }>((resolve) =>
    x.GetProperty(0, window, atom, 0, 0, 64, resolve),
  );
}
const readProperty = async (display: Display, window: number, name: string): Promise<Buffer> =>
  (await readTypedProperty(display, window, name)).data;

/** Returns the focused window according to the window manager; undefined if there is none, or it has just closed. */
async function getActiveWindow(display: Display): Promise<number | undefined> {
  const data = await readProperty(display, display.root, '_NET_ACTIVE_WINDOW');
  return data.length >= 4 ? data.readUInt32LE(0) || undefined : undefined;
}

async function getPid(display: Display, window: number): Promise<number | undefined> {
  const data = await readProperty(display, window, '_NET_WM_PID').catch(() => undefined);
  return data && data.length >= 4 ? data.readUInt32LE(0) : undefined;
}

/** Returns the windows that the window manager manages. */
async function listManagedWindows(display: Display): Promise<readonly number[]> {
  const data = await readProperty(display, display.root, '_NET_CLIENT_LIST');
  return Array.from({ length: data.length / 4 }, (_, index) => data.readUInt32LE(index * 4));
}

/** Starts Xvfb and openbox on a free display. */
export async function startDesktop({ isManaged = true } = {}): Promise<TestDesktop> {
  const { child: server, name } = await startXvfb();
  const env = { ...process.env, DISPLAY: name, LC_ALL: 'C.UTF-8', XAUTHORITY: '/dev/null', WAYLAND_DISPLAY: '' };
  const display = await openDisplay(name);
  let isOver = false;
  let manager: ChildProcess | undefined;
  function startManager(): ChildProcess {
    // openbox reads the whole table of compose keys with each change of the keyboard map, which blocked it for half a
    // minute. Its own configuration avoids that.
    const configPath = join(import.meta.dirname, 'openbox.xml');
    manager = spawn('openbox', ['--config-file', configPath], {
      env: { ...env, XCOMPOSEFILE: '/dev/null' },
      stdio: 'ignore',
    });
    return manager;
  }
  async function manage(): Promise<void> {
    // It crashes rarely, and is restarted once, as in a desktop session.
    startManager().once('exit', () => {
      if (!isOver && !hasEnded(server)) startManager();
    });
    await waitFor('openbox manages the display', async () => {
      // At its start, openbox announces itself, takes the focus, and lists its windows, in this order.
      const { type } = await readTypedProperty(display, display.root, '_NET_CLIENT_LIST');
      return type !== 0;
    });
  }
  if (isManaged) await manage();
  async function activate(window: number): Promise<void> {
    const { SubstructureNotify, SubstructureRedirect } = x11.eventMask;
    const mask = SubstructureNotify | SubstructureRedirect;
    const atom = await display.request<number>((resolve) => display.x.InternAtom(false, '_NET_ACTIVE_WINDOW', resolve));
    display.x.SendClientMessage(display.root, window, atom, 32, [PAGER_SOURCE, 0, 0, 0, 0], mask, () => true);
    await display.sync();
  }
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
        if ((await getActiveWindow(display)) !== undefined) return true;
        const newest = (await listManagedWindows(display)).at(-1);
        if (newest !== undefined) await activate(newest);
        return false;
      });
    },
    waitForClose: async (window) => {
      // After it has ended for good, nothing sets the focus any more.
      await waitFor(
        'the window is gone',
        async () => !manager || hasEnded(manager) || !(await listManagedWindows(display)).includes(window),
      );
    },
    listKeysDown: async () => (await readKeyboard(display)).down,
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      await display[Symbol.asyncDispose]();
      if (manager) await endProcess(manager);
      await endProcess(server);
    },
  };
}

/** A terminal with the focus that records what is typed into it, byte by byte. */
export interface TerminalSink extends AsyncDisposable {
  /** Text typed since the last `clear`; Return is '\r'. */
  readonly getText: () => string;
  readonly clear: () => void;
  /** Resolves when the text equals this one. @throws with the actual text after a timeout. */
  readonly waitForText: (text: string) => Promise<void>;
}

/** Opens a full-screen xterm whose program copies its input into a pipe. */
export async function openTerminalSink(desktop: TestDesktop): Promise<TerminalSink> {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-sink-'));
  const path = join(folder, 'pipe');
  spawnSync('mkfifo', [path]);
  // Opened for reading and writing, so that neither end blocks.
  const pipe = new Socket({ fd: openSync(path, 'r+'), readable: true, writable: false });
  let chunks: Buffer[] = [];
  const checks = new Set<() => void>();
  pipe.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    for (const run of checks) run();
  });
  const text = (): string => Buffer.concat(chunks).toString('utf8');
  const script = 'stty raw -echo; printf ready > "$0"; exec cat > "$0"';
  const terminal = spawn('xterm', ['-u8', '-e', 'sh', '-c', script, path], { env: desktop.env, stdio: 'ignore' });
  await waitFor('the terminal is ready', () => text() === 'ready');
  const terminalWindow = await waitFor('the terminal has the focus', async () => {
    const { display } = desktop;
    for (const window of await listManagedWindows(display)) {
      if ((await getPid(display, window)) !== terminal.pid) continue;
      if ((await getActiveWindow(display)) === window) return window;
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
    waitForText: (expected) =>
      new Promise((resolve, reject) => {
        function stop(): void {
          clearTimeout(timeout);
          checks.delete(checkText);
        }
        function checkText(): void {
          if (text() !== expected) return;
          stop();
          resolve();
        }
        const timeout = setTimeout(() => {
          stop();
          reject(new Error(`expected ${JSON.stringify(expected)}, got ${JSON.stringify(text())}`));
        }, TIMEOUT_MS / 2);
        checks.add(checkText);
        checkText();
      }),
    [Symbol.asyncDispose]: async () => {
      await endProcess(terminal);
      pipe.destroy();
      await desktop.waitForClose(terminalWindow);
      await rm(folder, { recursive: true });
    },
  };
}

/**
 * Input seen by a separate X client: `+37/0` is keycode 37 pressed with modifier mask 0, `-37/4` released;
 * `b+1/0` a button.
 */
export interface InputRecorder extends AsyncDisposable {
  readonly listSeen: () => readonly string[];
  readonly clear: () => void;
  readonly waitFor: (what: string, holds: (inputs: readonly string[]) => boolean) => Promise<void>;
  /** Runs once, immediately when the next input arrives. */
  readonly onFirst: (then: () => void) => void;
  /** Takes the focus back from another window. */
  readonly focus: () => Promise<void>;
  /** Position of the pointer on the screen. */
  readonly getPointer: () => Promise<{ readonly x: number; readonly y: number }>;
  /** Moves the pointer to the centre of the recording window. */
  readonly centrePointer: () => Promise<void>;
}

const marks: Readonly<Record<string, string>> = {
  KeyPress: '+',
  KeyRelease: '-',
  ButtonPress: 'b+',
  ButtonRelease: 'b-',
};

/** Opens a focused window that records every key and button. */
export async function openInputRecorder(desktop: TestDesktop): Promise<InputRecorder> {
  const display = await openDisplay(desktop.name);
  const { x, root, request } = display;
  const { KeyPress, KeyRelease, ButtonPress, ButtonRelease } = x11.eventMask;
  const window = x.AllocID();
  let inputs: string[] = [];
  let first: (() => void) | undefined;
  display.onEvent(({ name, keycode, buttons }) => {
    const mark = marks[name];
    if (mark === undefined) return;
    inputs.push(`${mark}${keycode}/${buttons}`);
    const then = first;
    first = undefined;
    then?.();
  });
  x.CreateWindow(window, root, 100, 100, 400, 300, 0, 0, 0, 0, {
    eventMask: KeyPress | KeyRelease | ButtonPress | ButtonRelease,
    // Not managed, so it appears immediately and stays in place.
    overrideRedirect: true,
  });
  x.MapWindow(window);
  await display.sync();
  async function focus(): Promise<void> {
    await waitFor('the recorder has the focus', async () => {
      // At each poll, as a window that opened in the meantime may have taken the focus.
      x.SetInputFocus(window, REVERT_TO_ROOT);
      const { focus: focused } = await request<{ readonly focus: number }>((resolve) => x.GetInputFocus(resolve));
      return focused === window;
    });
  }
  await focus();
  async function getPointer(): Promise<{ readonly x: number; readonly y: number }> {
    const { rootX, rootY } = await request<{ readonly rootX: number; readonly rootY: number }>((resolve) =>
      x.QueryPointer(root, resolve),
    );
    return { x: rootX, y: rootY };
  }
  return {
    listSeen: () => inputs,
    clear: () => {
      inputs = [];
    },
    waitFor: async (what, holds) => {
      await waitFor(what, () => holds(inputs)).catch((cause: unknown) => {
        throw new Error(`${what}; seen: ${inputs.join(' ')}`, { cause });
      });
    },
    onFirst: (then) => {
      first = then;
    },
    focus,
    getPointer,
    centrePointer: async () => {
      x.WarpPointer(0, window, 0, 0, 0, 0, 200, 150);
      await display.sync();
    },
    [Symbol.asyncDispose]: () => display[Symbol.asyncDispose](),
  };
}

/**
 * Stops the process (SIGSTOP) while it holds keys: `press` makes it press some, and the first one stops it.
 * If it released them too early, it is resumed and tried again. Returns the keycodes that are down.
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
    const pressed = press().catch(() => undefined); // A stopped agent does not answer.
    await recorder.waitFor('a key is pressed', (inputs) => inputs.length > 0);
    const down = await desktop.listKeysDown();
    if (down.length > 0) return down;
    process.kill(pid, 'SIGCONT');
    await pressed;
  }
}
