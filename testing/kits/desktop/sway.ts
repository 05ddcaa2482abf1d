import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { openLibc } from '#platform/agent/drivers/native/libc.ts';
import { connectSway, findSwaySocket, type SwayIpc } from '#platform/agent/drivers/sway/ipc.ts';
import { listWindows } from '#platform/agent/drivers/sway/windows.ts';
import { connectWayland, type WaylandConnection } from '#platform/agent/drivers/wayland/connection.ts';
import { XKB_FORMAT } from '#platform/agent/drivers/wayland/seatKeymap.ts';
import { openToplevels } from '#platform/agent/drivers/wayland/toplevels.ts';
import { getSkipReason } from '../../machine.ts';
import { getFolderSkipReason, getRoot, toRootCommand, type DesktopSystem } from './chroot.ts';
import { waitFor } from './desktop.ts';
import { openTextWindow } from './textWindow.ts';
import {
  endProcess,
  KEY_CODES,
  prepareXSockets,
  readTextFile,
  removeDesktopFolder,
  type VirtualDesktop,
} from './virtualDesktop.ts';

/** Keys that the configuration of the desktop binds: F10 by its code, and F11 in a mode of its own. */
const CONFIGURED_KEYS = 'bindcode 76 nop\nmode "second" {\n  bindsym F11 nop\n}\n';
/** sway refuses to run as root, and Xwayland accepts only programs of the same user. */
const UNPRIVILEGED_ID = 65_534;
const WIDTH = 1280;
const HEIGHT = 800;
/** Masks of the modifiers that keys hold. */
const MODIFIERS: Readonly<Record<number, number>> = {
  [KEY_CODES.LeftShift]: 1,
  [KEY_CODES.LeftControl]: 4,
  [KEY_CODES.LeftAlt]: 8,
  [KEY_CODES.LeftSuper]: 64,
};
const LOCK_MODIFIER = 2;

export interface WlrootsDesktop extends VirtualDesktop {
  /** Starts a program as the user of the desktop. */
  readonly spawn: (program: string, args: readonly string[]) => ChildProcess;
}

export interface SwayDesktop extends WlrootsDesktop {
  readonly ipc: SwayIpc;
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
    // Virtual keyboards decide themselves what their keys do to modifiers.
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

interface CompositorOptions {
  /** Returns the command that starts it, from the folder for its files. */
  readonly listCommand: (folder: string) => readonly string[];
  /** Runs a command as the user of the desktop. */
  readonly runAsUser: (command: readonly string[]) => readonly string[];
  readonly userId: number;
}

/** A compositor on a virtual output, with what is the same for all wlroots compositors. */
interface Compositor extends Pick<VirtualDesktop, 'env' | 'sendKey' | 'setLayout' | 'copyText' | 'pasteText'> {
  readonly folder: string;
  readonly connection: WaylandConnection;
  readonly spawnAsUser: (program: string, args: readonly string[], env?: NodeJS.ProcessEnv) => ChildProcess;
  /** Removes everything after `quit` has made the compositor end. */
  readonly close: (quit: (child: ChildProcess) => void) => Promise<void>;
}

async function startCompositor({ listCommand, runAsUser, userId }: CompositorOptions): Promise<Compositor> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-wlroots-'));
  prepareXSockets();
  chmodSync(folder, 0o700);
  chownSync(folder, userId, userId);
  const folderEnv = {
    ...process.env,
    HOME: folder,
    XDG_RUNTIME_DIR: folder,
    LC_ALL: 'C.UTF-8',
    XAUTHORITY: '/dev/null',
  };
  function start(command: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
    const [program = '', ...args] = runAsUser(command);
    return spawn(program, args, { env: { ...folderEnv, ...env }, stdio: 'ignore' });
  }
  const compositor = start(listCommand(folder), {
    DISPLAY: undefined,
    WAYLAND_DISPLAY: undefined,
    WLR_BACKENDS: 'headless',
    WLR_LIBINPUT_NO_DEVICES: '1',
    WLR_RENDERER: 'pixman',
  });
  const display = await waitFor('the compositor listens', () =>
    readdirSync(folder).find((name) => /^wayland-\d+$/.test(name)),
  );
  // The file of its socket exists a moment before it listens there.
  const connection = await waitFor('the compositor answers', () =>
    connectWayland(join(folder, display)).catch(() => undefined),
  );
  const keyboard = createKeyboard(connection);
  await keyboard.setLayout('us');
  const env = { ...folderEnv, WAYLAND_DISPLAY: display };
  const spawnAsUser: Compositor['spawnAsUser'] = (program, args, moreEnv) =>
    start([program, ...args], { WAYLAND_DISPLAY: display, ...moreEnv });
  return {
    folder,
    connection,
    env,
    ...keyboard,
    spawnAsUser,
    copyText: async (text) => void spawnAsUser('wl-copy', [text]),
    pasteText: () => readText(spawn('wl-paste', ['-n'], { env, stdio: ['ignore', 'pipe', 'ignore'] }).stdout),
    close: async (quit) => {
      await connection[Symbol.asyncDispose]();
      const exited = new Promise((resolve) => compositor.once('exit', resolve));
      quit(compositor);
      await exited;
      removeDesktopFolder(folder);
    },
  };
}

/** Starts sway. */
export async function startSway(): Promise<SwayDesktop> {
  const isRoot = userInfo().uid === 0;
  const user = ['setpriv', '--reuid', String(UNPRIVILEGED_ID), '--regid', String(UNPRIVILEGED_ID), '--clear-groups'];
  const compositor = await startCompositor({
    listCommand: (folder) => {
      const path = join(folder, 'config');
      writeFileSync(path, `output HEADLESS-1 mode ${WIDTH}x${HEIGHT}\ndefault_border none\n${CONFIGURED_KEYS}`);
      return ['dbus-run-session', 'sway', '-c', path];
    },
    runAsUser: (command) => (isRoot ? [...user, ...command] : command),
    userId: isRoot ? UNPRIVILEGED_ID : userInfo().uid,
  });
  const { folder, spawnAsUser } = compositor;
  const socketPath = await waitFor('sway listens', () => findSwaySocket({ XDG_RUNTIME_DIR: folder }));
  // The file of its socket exists a moment before sway listens there.
  const ipc = await waitFor('sway answers', () => connectSway(socketPath).catch(() => undefined));
  // sway starts Xwayland for the first program that needs it, and reserves the name at its start.
  const displayPath = join(folder, 'x-display');
  await ipc.request('run_command', `exec echo $DISPLAY > ${displayPath}`);
  const xDisplay = await waitFor('sway names the display of Xwayland', () => readTextFile(displayPath).trim() || false);
  return {
    ...compositor,
    env: { ...compositor.env, SWAYSOCK: socketPath },
    name: 'sway on Wayland',
    ipc,
    spawn: spawnAsUser,
    openTextWindow: async (program) => {
      const displayEnv = program === 'xterm' ? { DISPLAY: xDisplay, WAYLAND_DISPLAY: undefined } : {};
      const window = await openTextWindow(
        (command, args, env) => spawnAsUser(command, args, { ...env, ...displayEnv }),
        program,
      );
      await waitFor(`${program} has the focus`, async () => {
        const windows = listWindows(await ipc.request('get_tree'));
        return windows.some(({ pid, isFocused }) => isFocused && pid === window.child.pid);
      });
      return window;
    },
    [Symbol.asyncDispose]: async () => {
      await compositor.close(() => void ipc.request('run_command', 'exit').catch(() => undefined)); // it doesn't answer
      ipc[Symbol.dispose]();
    },
  };
}

/** A focused window that reports which keys, buttons and modifiers are down. */
export interface InputWatcher extends AsyncDisposable {
  /** Lists what is down according to the compositor: `key 30`, `button 272`, `modifiers 4`. */
  readonly listDown: () => readonly string[];
}

/** Lists what is down according to the events that a Wayland program has logged. */
function parseDownInputs(log: string): readonly string[] {
  const down = new Set<string>();
  for (const [, kind, code, state] of log.matchAll(
    /\bwl_(?:keyboard|pointer)[@#]\d+\.(key|button)\(\d+, \d+, (\d+), (\d+)\)/g,
  ))
    if (state === '0') down.delete(`${kind} ${code}`);
    else down.add(`${kind} ${code}`);
  const modifiers = [...log.matchAll(/\bwl_keyboard[@#]\d+\.modifiers\(\d+, (\d+),/g)].at(-1)?.[1] ?? '0';
  return [...down, ...(modifiers === '0' ? [] : [`modifiers ${modifiers}`])];
}

/** Opens a Wayland program that logs its events. */
export async function openInputWatcher(
  { spawn: start }: Pick<WlrootsDesktop, 'spawn'>,
  command: readonly string[] = ['foot', 'cat'],
): Promise<InputWatcher> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-input-'));
  chmodSync(folder, 0o777);
  const path = join(folder, 'log');
  const child = start('sh', ['-c', 'WAYLAND_DEBUG=1 exec "$@" 2> "$0"', path, ...command]);
  await waitFor('the program has the focus', () => /\bwl_keyboard[@#]\d+\.enter\(/.test(readTextFile(path)));
  return {
    listDown: () => parseDownInputs(readTextFile(path)),
    [Symbol.asyncDispose]: async () => {
      await endProcess(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const LABWC: DesktopSystem = { version: 0.8, folder: { variable: 'PEGBOARD_LABWC_FOLDER', suite: 'trixie' } };

/** Returns why labwc can't be tested here, and what installs it; undefined if it can. */
export function getLabwcSkipReason(): string | undefined {
  return (
    getSkipReason('foot', 'wl-copy', 'gi', 'Gtk-4.0.typelib', 'xkbcli') ??
    getFolderSkipReason(LABWC, 'labwc', ['labwc', 'xkb-data', 'fonts-dejavu-core'])
  );
}

/** Starts labwc, which doesn't report the processes of windows. */
export async function startLabwc(): Promise<WlrootsDesktop> {
  const compositor = await startCompositor({
    listCommand: (folder) => toRootCommand(getRoot(LABWC), ['labwc', '--config-dir', folder]),
    runAsUser: (command) => command,
    userId: userInfo().uid,
  });
  const { connection, spawnAsUser } = compositor;
  const idleTime = { isAvailable: false, getIdleMs: () => 0 };
  const windows = await openToplevels(connection, idleTime);
  return {
    ...compositor,
    env: { ...compositor.env, XDG_CURRENT_DESKTOP: 'labwc:wlroots' },
    name: 'labwc on Wayland',
    spawn: spawnAsUser,
    openTextWindow: async (program) => {
      const before = windows.listOpen().map(({ id }) => id);
      const window = await openTextWindow((command, args, env) => spawnAsUser(command, args, env), program);
      await waitFor(`${program} has the focus`, () => {
        const active = windows.getActive();
        return active !== undefined && !before.includes(active.id);
      });
      return window;
    },
    [Symbol.asyncDispose]: () => compositor.close((child) => void child.kill('SIGTERM')),
  };
}
