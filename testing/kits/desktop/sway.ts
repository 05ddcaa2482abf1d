import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { connectSway, findSwaySocket, type SwayIpc } from '#platform/agent/drivers/sway/ipc.ts';
import { listWindows } from '#platform/agent/drivers/sway/windows.ts';
import { connectWayland } from '#platform/agent/drivers/wayland/connection.ts';
import {
  openVirtualKeyboard,
  SHIFT_CODE,
  type VirtualKeyboard,
} from '#platform/agent/drivers/wayland/virtualKeyboard.ts';
import { waitFor } from './desktop.ts';

/** sway refuses to run as root, and Xwayland accepts only programs of the same user. */
const UNPRIVILEGED_ID = 65_534;
const WIDTH = 1280;
const HEIGHT = 800;
const READY_SCRIPT = 'stty raw -echo; printf ready > "$0"; exec cat >> "$0"';

export type TextProgram = 'foot' | 'gtk' | 'xterm';

/** A focused window that records what is typed into it. */
export interface TextWindow extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Starts again with no text. */
  readonly clear: () => void;
  /** Text since the last `clear`; Return is '\n'. */
  readonly getText: () => string;
}

/** A sway desktop without a screen, on which somebody uses a keyboard. */
export interface SwayDesktop extends AsyncDisposable {
  /** Environment of programs that should appear on it. */
  readonly env: NodeJS.ProcessEnv;
  readonly ipc: SwayIpc;
  /** The keyboard of the person at the computer. */
  readonly keyboard: VirtualKeyboard;
  /** Sets the layout of that keyboard: 'de', 'us,ru'. */
  readonly setLayout: (layout: string) => Promise<void>;
  /** Starts a program as the user of the desktop. */
  readonly spawn: (program: string, args: readonly string[]) => ChildProcess;
  readonly openTextWindow: (program: TextProgram) => Promise<TextWindow>;
}

/** Compiles a layout as a compositor does. */
export function compileKeymap(layout: string): string {
  const { stdout, status, stderr } = spawnSync('xkbcli', ['compile-keymap', '--layout', layout], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolveExit) => child.once('exit', resolveExit));
  child.kill('SIGTERM');
  await exited;
}

/** Returns '' if the file does not exist yet. */
function readTextFile(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** Starts sway on a virtual output. */
export async function startSway(): Promise<SwayDesktop> {
  const isRoot = userInfo().uid === 0;
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-sway-'));
  const configPath = join(folder, 'config');
  writeFileSync(configPath, `output HEADLESS-1 mode ${WIDTH}x${HEIGHT}\ndefault_border none\n`);
  chmodSync(folder, 0o700);
  if (isRoot) chownSync(folder, UNPRIVILEGED_ID, UNPRIVILEGED_ID);
  const userEnv = {
    ...process.env,
    HOME: folder,
    XDG_RUNTIME_DIR: folder,
    LC_ALL: 'C.UTF-8',
    XAUTHORITY: '/dev/null',
    GSK_RENDERER: 'cairo',
    LIBGL_ALWAYS_SOFTWARE: '1',
    GTK_A11Y: 'none',
  };
  function spawnAsUser(env: NodeJS.ProcessEnv, program: string, args: readonly string[]): ChildProcess {
    const user = ['--reuid', String(UNPRIVILEGED_ID), '--regid', String(UNPRIVILEGED_ID), '--clear-groups'];
    return isRoot
      ? spawn('setpriv', [...user, program, ...args], { env, stdio: 'ignore' })
      : spawn(program, [...args], { env, stdio: 'ignore' });
  }
  const compositor = spawnAsUser(
    {
      ...userEnv,
      DISPLAY: undefined,
      WAYLAND_DISPLAY: undefined,
      WLR_BACKENDS: 'headless',
      WLR_LIBINPUT_NO_DEVICES: '1',
      WLR_RENDERER: 'pixman',
    },
    'dbus-run-session',
    ['sway', '-c', configPath],
  );
  const findSocket = (): string | undefined => readdirSync(folder).find((name) => /^wayland-\d+$/.test(name));
  const display = await waitFor('sway listens', () => findSwaySocket({ XDG_RUNTIME_DIR: folder }) && findSocket());
  const ipc = await connectSway(findSwaySocket({ XDG_RUNTIME_DIR: folder }) ?? '');
  const connection = await connectWayland(join(folder, display));
  const manager = connection.bind('zwp_virtual_keyboard_manager_v1', 1);
  if (!manager) throw new Error('sway offers no virtual keyboards');
  const keyboard = await openVirtualKeyboard(connection, manager);
  async function setLayout(layout: string): Promise<void> {
    keyboard.setKeymapText(compileKeymap(layout));
    // The keyboard that was used last decides.
    for (const down of [true, false]) keyboard.sendKey(SHIFT_CODE, down);
    await connection.sync();
  }
  await setLayout('us');
  // sway starts Xwayland for the first program that needs it, and reserves the name at its start.
  const env = { ...userEnv, WAYLAND_DISPLAY: display, SWAYSOCK: findSwaySocket({ XDG_RUNTIME_DIR: folder }) };
  const displayPath = join(folder, 'x-display');
  await ipc.request('run_command', `exec echo $DISPLAY > ${displayPath}`);
  const xDisplay = await waitFor(
    'sway names the display of Xwayland',
    () => readTextFile(displayPath).trim() || undefined,
  );

  async function openTextWindow(program: TextProgram): Promise<TextWindow> {
    const path = join(folder, `${program}-text`);
    rmSync(path, { force: true });
    const child =
      program === 'gtk'
        ? spawnAsUser(env, '/usr/bin/python3', [resolve('testing/python/textView.py'), path])
        : spawnAsUser(
            { ...env, ...(program === 'xterm' ? { DISPLAY: xDisplay, WAYLAND_DISPLAY: undefined } : {}) },
            program,
            [...(program === 'xterm' ? ['-u8', '-e'] : []), 'sh', '-c', READY_SCRIPT, path],
          );
    const readText = (): string =>
      readTextFile(path)
        .replace(/^ready/, '')
        .replaceAll('\r', '\n');
    await waitFor(`${program} has the focus`, async () => {
      const windows = listWindows(await ipc.request('get_tree'));
      return windows.some(({ pid, isFocused }) => isFocused && pid === child.pid);
    });
    if (program !== 'gtk') await waitFor(`${program} is ready`, () => readTextFile(path) === 'ready');
    let start = 0;
    return {
      child,
      clear: () => {
        start = readText().length;
      },
      getText: () => readText().slice(start),
      [Symbol.asyncDispose]: () => end(child),
    };
  }
  return {
    env,
    ipc,
    keyboard,
    setLayout,
    spawn: (program, args) => spawnAsUser(env, program, args),
    openTextWindow,
    [Symbol.asyncDispose]: async () => {
      await connection[Symbol.asyncDispose]();
      const exited = new Promise((resolveExit) => compositor.once('exit', resolveExit));
      ipc.request('run_command', 'exit').catch(() => undefined); // it ends before it answers
      await exited;
      ipc[Symbol.dispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
