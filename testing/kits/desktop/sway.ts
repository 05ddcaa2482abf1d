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
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { openLibc } from '#platform/agent/drivers/native/libc.ts';
import { connectSway, findSwaySocket, type SwayIpc } from '#platform/agent/drivers/sway/ipc.ts';
import { listWindows } from '#platform/agent/drivers/sway/windows.ts';
import { connectWayland, type WaylandConnection } from '#platform/agent/drivers/wayland/connection.ts';
import { waitFor } from './desktop.ts';
import { openTextWindow } from './textWindow.ts';
import { KEY_CODES, type VirtualDesktop } from './virtualDesktop.ts';

/** sway refuses to run as root, and Xwayland accepts only programs of the same user. */
const UNPRIVILEGED_ID = 65_534;
const WIDTH = 1280;
const HEIGHT = 800;
/** The format of keymaps that libxkbcommon reads. */
const XKB_FORMAT = 1;
/** Masks of the modifiers that keys hold. */
const MODIFIERS: Readonly<Record<number, number>> = {
  [KEY_CODES.LeftShift]: 1,
  [KEY_CODES.LeftControl]: 4,
  [KEY_CODES.LeftAlt]: 8,
  [KEY_CODES.LeftSuper]: 64,
};
const LOCK_MODIFIER = 2;

export interface SwayDesktop extends VirtualDesktop {
  readonly ipc: SwayIpc;
  /** Starts a program as the user of the desktop. */
  readonly spawn: (program: string, args: readonly string[]) => ChildProcess;
}

/** Compiles a layout as a compositor does. */
export function compileKeymap(layout: string, option = ''): string {
  const args = ['compile-keymap', '--layout', layout, ...(option === '' ? [] : ['--options', option])];
  const { stdout, status, stderr } = spawnSync('xkbcli', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** The keyboard of the person at the computer. */
function createKeyboard(connection: WaylandConnection): Pick<SwayDesktop, 'setLayout' | 'sendKey'> {
  const manager = connection.bind('zwp_virtual_keyboard_manager_v1', 1);
  const seat = connection.bind('wl_seat', 5);
  if (!manager || !seat) throw new Error('sway offers no virtual keyboards');
  const keyboard = connection.create('zwp_virtual_keyboard_v1');
  manager.send('create_virtual_keyboard', seat, keyboard);
  let modifiers = 0;
  let locked = 0;
  let hasCapsLock = true;
  async function sendKey(code: number, isDown: boolean): Promise<void> {
    keyboard.send('key', Math.floor(performance.now()), code, isDown ? 1 : 0);
    // sway leaves it to virtual keyboards what their keys do to modifiers.
    const mask = MODIFIERS[code] ?? 0;
    modifiers = isDown ? modifiers | mask : modifiers & ~mask;
    if (code === KEY_CODES.CapsLock && isDown && hasCapsLock) locked ^= LOCK_MODIFIER;
    keyboard.send('modifiers', modifiers, 0, locked, 0);
    await connection.sync();
  }
  async function setLayout(layout: string, option = ''): Promise<void> {
    const content = Buffer.from(`${compileKeymap(layout, option)}\0`);
    keyboard.send('keymap', XKB_FORMAT, openLibc().createMemoryFile(content), content.length);
    hasCapsLock = option === '';
    locked = 0;
    // The keyboard that was used last decides.
    for (const isDown of [true, false]) await sendKey(KEY_CODES.LeftShift, isDown);
  }
  return { setLayout, sendKey };
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
  // The file of its socket exists a moment before sway listens there.
  const ipc = await waitFor('sway answers', () =>
    connectSway(findSwaySocket({ XDG_RUNTIME_DIR: folder }) ?? '').catch(() => undefined),
  );
  const connection = await connectWayland(join(folder, display));
  const keyboard = createKeyboard(connection);
  await keyboard.setLayout('us');
  // sway starts Xwayland for the first program that needs it, and reserves the name at its start.
  const env = { ...userEnv, WAYLAND_DISPLAY: display, SWAYSOCK: findSwaySocket({ XDG_RUNTIME_DIR: folder }) };
  const displayPath = join(folder, 'x-display');
  await ipc.request('run_command', `exec echo $DISPLAY > ${displayPath}`);
  const xDisplay = await waitFor(
    'sway names the display of Xwayland',
    () => readTextFile(displayPath).trim() || undefined,
  );
  return {
    env,
    name: 'sway on Wayland',
    ipc,
    ...keyboard,
    spawn: (program, args) => spawnAsUser(env, program, args),
    openTextWindow: async (program) => {
      const displayEnv = program === 'xterm' ? { DISPLAY: xDisplay, WAYLAND_DISPLAY: undefined } : {};
      const window = await openTextWindow(
        (command, args, textEnv) => spawnAsUser({ ...env, ...textEnv, ...displayEnv }, command, args),
        program,
      );
      await waitFor(`${program} has the focus`, async () => {
        const windows = listWindows(await ipc.request('get_tree'));
        return windows.some(({ pid, isFocused }) => isFocused && pid === window.child.pid);
      });
      return window;
    },
    copyText: async (text) => void spawnAsUser(env, 'wl-copy', [text]),
    pasteText: () => readText(spawn('wl-paste', ['-n'], { env, stdio: ['ignore', 'pipe', 'ignore'] }).stdout),
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
