import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual, promisify } from 'node:util';
import type { DBusCall, SessionBus } from '@homebridge/dbus-native';
import {
  createExtensionFiles,
  EXTENSION_SERVICE,
  EXTENSION_UUID,
} from '#platform/agent/drivers/gnome/shellExtension.ts';
import {
  callBus,
  connectBus,
  getBusProperty,
  hasNameOwner,
  START_TIMEOUT_MS,
} from '#platform/agent/drivers/sessionBus.ts';
import { getSkipReason } from '../../machine.ts';
import { getFolderSkipReason, getRoot, toRootCommand, type DesktopSystem } from './chroot.ts';
import { waitFor } from './desktop.ts';
import { openTextWindow } from './textWindow.ts';
import {
  createXClipboard,
  endProcess,
  KEY_CODES,
  prepareXSockets,
  readTextFile,
  removeDesktopFolder,
  tapKeys,
  type VirtualDesktop,
} from './virtualDesktop.ts';

const WIDTH = 1280;
const HEIGHT = 800;
/** After the shell has changed the layout, the compositor compiles the keymap, which nothing reports. */
const KEYMAP_DELAY_MS = 500;
const WAYLAND_DISPLAY = 'wayland-0';
const SHELL = { destination: 'org.gnome.Shell', path: '/org/gnome/Shell', interface: 'org.gnome.Shell' } as const;
const MUTTER = 'org.gnome.Mutter.RemoteDesktop';
const LOGIND_FOLDER = '/run/systemd/seats';

const MACHINE_GNOME: DesktopSystem = { version: 43 };
export const GNOME_SYSTEMS: readonly DesktopSystem[] = [
  MACHINE_GNOME,
  { version: 48, folder: { variable: 'PEGBOARD_GNOME_48_FOLDER', suite: 'trixie' } },
];
/** Packages of a folder with another Debian; programs that tests use on the desktop are those of this machine. */
const FOLDER_PACKAGES = [
  'gnome-shell',
  'gstreamer1.0-plugins-good',
  'pipewire',
  'wireplumber',
  'ibus',
  'xwayland',
  'dbus-daemon',
  'dbus-bin',
  'gnome-settings-daemon',
  'dconf-gsettings-backend',
  'libglib2.0-bin',
  'fonts-dejavu-core',
];

/** Returns why GNOME can't be tested here, and what installs it; undefined if it can. */
export function getGnomeSkipReason(system: DesktopSystem = MACHINE_GNOME): string | undefined {
  const reason =
    getSkipReason(
      'gnome-shell',
      'gsd-xsettings',
      'pipewire',
      'wireplumber',
      'ibus-daemon',
      'xdg-desktop-portal-gnome',
      'gjs',
      'libgstpipewire.so',
      'libgstmatroska.so',
      'dbus-run-session',
      'Xwayland',
      'xclip',
      'xterm',
      'foot',
      'gi',
      'Gtk-4.0.typelib',
    ) ?? getFolderSkipReason(system, 'gnome-shell', FOLDER_PACKAGES);
  if (reason !== undefined) return reason;
  return existsSync('/run/systemd/system') ? 'needs a system without logind, such as a container' : undefined;
}

export interface GnomeDesktop extends VirtualDesktop {
  readonly bus: SessionBus;
  readonly getActiveLayout: () => Promise<string | undefined>;
  /** Path of the shell's log. */
  readonly logPath: string;
  /** Switches to the next layout, by Super-Space. */
  readonly switchLayout: () => Promise<void>;
  readonly spawn: (program: string, args: readonly string[]) => ChildProcess;
  /** Starts IBus again, of the same system as the shell: its file is named after the system. */
  readonly startInputMethod: () => void;
  /** Runs a program and returns its output. */
  readonly run: (program: string, args: readonly string[]) => Promise<string>;
  readonly closeOverview: () => Promise<void>;
  /** Ends the agent's remote input, as the button in the top bar does. */
  readonly endRemoteInput: () => Promise<void>;
}

const execFileAsync = promisify(execFile);

/** Writes an extension into the home of a user, as the agent does. */
function installExtension(home: string, uuid: string, files: ReadonlyMap<string, string>): void {
  const folder = join(home, '.local/share/gnome-shell/extensions', uuid);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
}

const TEST_EXTENSION_UUID = 'testing@pegboard.local';
const TEST_SERVICE = {
  destination: 'org.pegboard.Testing',
  path: '/org/pegboard/Testing',
  interface: 'org.pegboard.Testing',
} as const;
/**
 * Does what the button in the top bar does: it ends the remote input of all but the person's keyboard. Also reports the
 * layouts and options that the shell has applied, beginning with the active layout.
 */
const TEST_EXTENSION = `
const XML = '<node><interface name="org.pegboard.Testing"><method name="EndRemoteInput"/><method name="GetKeyboard"><arg type="s" direction="out"/></method></interface></node>';
class Testing {
  enable() {
    this.handles = [];
    global.backend.get_remote_access_controller().connect('new-handle', (_controller, handle) => this.handles.push(handle));
    this.object = Gio.DBusExportedObject.wrapJSObject(XML, this);
    this.object.export(Gio.DBus.session, '/org/pegboard/Testing');
    Gio.bus_own_name(Gio.BusType.SESSION, 'org.pegboard.Testing', 0, null, null, null);
  }
  disable() {}
  EndRemoteInput() {
    for (const handle of this.handles.splice(1)) handle.stop();
  }
  GetKeyboard() {
    const { currentSource, inputSources, _keyboardManager: { _xkbOptions: options } } = Keyboard.getInputSourceManager();
    return [currentSource, ...Object.values(inputSources)].map((source) => source?.id).concat(options).join(' ');
  }
}
`;
const FIRST_MODULE_VERSION = 45;

/** Returns the files of an extension that lets tests do what a person does with the shell. */
function createTestExtensionFiles(version: number): ReadonlyMap<string, string> {
  const metadata = {
    uuid: TEST_EXTENSION_UUID,
    name: 'Testing',
    description: 'Tests',
    'shell-version': [String(version)],
  };
  const script =
    version >= FIRST_MODULE_VERSION
      ? `import Gio from 'gi://Gio';\nimport * as Keyboard from 'resource:///org/gnome/shell/ui/status/keyboard.js';\n${TEST_EXTENSION}export default Testing;\n`
      : `const { Gio } = imports.gi;\nconst Keyboard = imports.ui.status.keyboard;\n${TEST_EXTENSION}function init() { return new Testing(); }\n`;
  return new Map([
    ['metadata.json', JSON.stringify(metadata)],
    ['extension.js', script],
  ]);
}

/** Settings that switch off what would disturb tests: the welcome, the hot corner, and the lock screen. */
const SETTINGS: readonly (readonly [string, string, string])[] = [
  ['org.gnome.shell', 'welcome-dialog-last-shown-version', '999'],
  ['org.gnome.desktop.interface', 'enable-hot-corners', 'false'],
  ['org.gnome.desktop.interface', 'enable-animations', 'false'],
  ['org.gnome.desktop.session', 'idle-delay', '0'],
  // The tests click in the middle.
  ['org.gnome.mutter', 'center-new-windows', 'true'],
  ['org.gnome.desktop.screensaver', 'lock-enabled', 'false'],
];

export interface GnomeOptions {
  readonly system?: DesktopSystem;
  readonly hasExtension?: boolean;
}

/** Starts GNOME on a virtual monitor, with its own buses. */
export async function startGnome(options: GnomeOptions = {}): Promise<GnomeDesktop> {
  const { system = MACHINE_GNOME, hasExtension = true } = options;
  const root = getRoot(system);
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-gnome-'));
  const busAddress = `unix:path=${join(folder, 'bus')}`;
  const systemBusAddress = `unix:path=${join(folder, 'system-bus')}`;
  // The shell asks for logind where this folder exists, and stops without it.
  rmSync(LOGIND_FOLDER, { recursive: true, force: true });
  prepareXSockets();
  const baseEnv = {
    ...process.env,
    HOME: folder,
    XDG_RUNTIME_DIR: folder,
    XDG_CONFIG_HOME: undefined,
    XDG_DATA_HOME: undefined,
    XDG_CACHE_HOME: undefined,
    XDG_STATE_HOME: undefined,
    XDG_SESSION_TYPE: 'wayland',
    XDG_CURRENT_DESKTOP: 'GNOME',
    DBUS_SESSION_BUS_ADDRESS: busAddress,
    DBUS_SYSTEM_BUS_ADDRESS: systemBusAddress,
    LC_ALL: 'C.UTF-8',
    LIBGL_ALWAYS_SOFTWARE: '1',
    NO_AT_BRIDGE: '1',
    // The usual backend reports changes in a thread of its own, which blocks the shell forever (a fault of gjs 1.74)
    // if its garbage collector runs at that moment.
    GSETTINGS_BACKEND: 'keyfile',
    DISPLAY: undefined,
    WAYLAND_DISPLAY: undefined,
  };
  // GNOME's session sets the input method of programs for X11.
  const env: NodeJS.ProcessEnv = { ...baseEnv, WAYLAND_DISPLAY, XMODIFIERS: '@im=ibus' };
  const logPath = join(folder, 'gnome.log');
  const children: ChildProcess[] = [];
  await using starting = new AsyncDisposableStack();
  starting.defer(async () => {
    for (const child of children.toReversed()) await endProcess(child);
    removeDesktopFolder(folder);
  });
  function start(program: string, args: readonly string[], programEnv: NodeJS.ProcessEnv = baseEnv): ChildProcess {
    const child = spawn('sh', ['-c', 'exec "$@" >>"$0" 2>&1', logPath, program, ...args], {
      env: programEnv,
      stdio: 'ignore',
    });
    children.push(child);
    return child;
  }
  function startInSystem(command: readonly string[], programEnv?: NodeJS.ProcessEnv): void {
    const [program = '', ...args] = toRootCommand(root, command);
    start(program, args, programEnv);
  }
  /** Doesn't block: the engine of the input method is in this process, and IBus may be waiting for it. */
  async function run(program: string, args: readonly string[]): Promise<string> {
    const [starter = '', ...starterArgs] = toRootCommand(root, [program, ...args]);
    return (await execFileAsync(starter, starterArgs, { env })).stdout;
  }

  for (const address of [systemBusAddress, busAddress]) {
    const path = address.slice('unix:path='.length);
    startInSystem(['dbus-daemon', '--session', `--address=${address}`, '--nofork', '--nopidfile']);
    await waitFor('the bus listens', () => existsSync(path));
  }
  for (const [schema, key, value] of SETTINGS) await run('gsettings', ['set', schema, key, value]);
  const version = Number(/\d+/.exec(await run('gnome-shell', ['--version']))?.[0]);
  installExtension(folder, TEST_EXTENSION_UUID, createTestExtensionFiles(version));
  if (hasExtension) installExtension(folder, EXTENSION_UUID, createExtensionFiles(version));
  const extensions = hasExtension ? [TEST_EXTENSION_UUID, EXTENSION_UUID] : [TEST_EXTENSION_UUID];
  await run('gsettings', ['set', 'org.gnome.shell', 'enabled-extensions', `['${extensions.join("', '")}']`]);
  startInSystem(['pipewire']);
  // Without it, the next program ends.
  await waitFor('PipeWire listens', () => existsSync(join(folder, 'pipewire-0')));
  startInSystem(['wireplumber']);
  startInSystem(['gnome-shell', '--headless', '--wayland', '--virtual-monitor', `${WIDTH}x${HEIGHT}`]);
  const bus = connectBus(busAddress);
  if (!bus) throw new Error('no session bus');
  starting.defer(() => bus.connection.end());
  await waitFor('GNOME has started', () => readTextFile(logPath).includes('GNOME Shell started'));
  await waitFor('GNOME offers remote input', () => hasNameOwner(bus, MUTTER));
  const findAuthority = () => readdirSync(folder).find((name) => name.startsWith('.mutter-Xwaylandauth.'));
  env['DISPLAY'] = await waitFor(
    'GNOME names its X display',
    () => /public X11 display (:\d+)/.exec(readTextFile(logPath))?.[1],
  );
  env['XAUTHORITY'] = join(folder, await waitFor('GNOME lets programs use X11', findAuthority));
  // The library for X11 reads it from the environment of its own process.
  process.env['XAUTHORITY'] = env['XAUTHORITY'];
  starting.defer(() => void delete process.env['XAUTHORITY']);

  // As a session does for the services that the bus starts.
  await run('dbus-update-activation-environment', ['WAYLAND_DISPLAY', 'DISPLAY', 'XAUTHORITY', 'XDG_CURRENT_DESKTOP']);

  async function closeOverview(): Promise<void> {
    const call = { ...SHELL, interface: 'org.freedesktop.DBus.Properties', member: 'Set', signature: 'ssv' };
    const body = [SHELL.interface, 'OverviewActive', ['b', false]];
    await callBus(bus as SessionBus, { ...call, body }, START_TIMEOUT_MS);
    await waitFor(
      'the overview is closed',
      async () => (await getBusProperty(bus as SessionBus, SHELL, 'OverviewActive', START_TIMEOUT_MS)) === false,
    );
  }
  await closeOverview();

  await waitFor('the extension of the tests runs', () => hasNameOwner(bus, TEST_SERVICE.destination));
  const service = { destination: MUTTER, path: '/org/gnome/Mutter/RemoteDesktop', interface: MUTTER } as const;
  const sessionPath = String(await callBus(bus, { ...service, member: 'CreateSession' }, START_TIMEOUT_MS));
  const session = { destination: MUTTER, path: sessionPath, interface: `${MUTTER}.Session` } as const;
  const callSession = (member: string, args: Pick<DBusCall, 'signature' | 'body'> = {}) =>
    callBus(bus, { ...session, member, ...args }, START_TIMEOUT_MS);
  await callSession('Start');
  const sendKey = async (code: number, isDown: boolean): Promise<void> =>
    void (await callSession('NotifyKeyboardKeycode', { signature: 'ub', body: [code, isDown] }));
  for (const isDown of [true, false]) await sendKey(KEY_CODES.LeftShift, isDown);
  if (hasExtension) await waitFor('the extension runs', () => hasNameOwner(bus, EXTENSION_SERVICE.destination));

  const readKeyboard = async (): Promise<readonly string[]> =>
    String(await callBus(bus, { ...TEST_SERVICE, member: 'GetKeyboard' }, START_TIMEOUT_MS)).split(' ');
  async function setLayout(layout: string, option = ''): Promise<void> {
    const sources = layout.split(',').map((name) => `('xkb', '${name}')`);
    const xkbOptions = option === '' ? '@as []' : `['${option}']`;
    await run('gsettings', ['set', 'org.gnome.desktop.input-sources', 'xkb-options', xkbOptions]);
    await run('gsettings', ['set', 'org.gnome.desktop.input-sources', 'sources', `[${sources.join(', ')}]`]);
    const expected = [...layout.split(','), ...(option === '' ? [] : [option])];
    await waitFor('the shell has the layouts', async () =>
      isDeepStrictEqual((await readKeyboard()).slice(1), expected),
    );
    await sleep(KEYMAP_DELAY_MS);
  }
  const getActiveLayout = async (): Promise<string | undefined> => (await readKeyboard())[0];
  async function switchLayout(): Promise<void> {
    const before = await getActiveLayout();
    await tapKeys(desktop, KEY_CODES.LeftSuper, KEY_CODES.Space);
    await waitFor('the shell has switched the layout', async () => (await getActiveLayout()) !== before);
    await sleep(KEYMAP_DELAY_MS);
  }
  const started = starting.move();
  const desktop: GnomeDesktop = {
    env,
    name: 'GNOME on Wayland',
    bus,
    logPath,
    sendKey,
    setLayout,
    getActiveLayout,
    switchLayout,
    spawn: (program, args) => start(program, args, env),
    startInputMethod: () => startInSystem(['ibus-daemon', '--panel', 'disable', '--xim'], env),
    run,
    openTextWindow: async (program) => {
      await closeOverview();
      return openTextWindow((command, args, textEnv) => start(command, args, { ...env, ...textEnv }), program);
    },
    ...createXClipboard(env),
    closeOverview,
    endRemoteInput: async () => void (await callBus(bus, { ...TEST_SERVICE, member: 'EndRemoteInput' })),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
  return desktop;
}
