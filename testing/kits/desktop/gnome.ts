import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionBus } from '@homebridge/dbus-native';
import {
  createExtensionFiles,
  EXTENSION_SERVICE,
  EXTENSION_UUID,
} from '#platform/agent/drivers/gnome/shellExtension.ts';
import { callBus, connectBus, getBusProperty, hasNameOwner } from '#platform/agent/drivers/sessionBus.ts';
import { waitFor } from './desktop.ts';
import { openTextWindow } from './textWindow.ts';
import { KEY_CODES, tapKeys, type VirtualDesktop } from './virtualDesktop.ts';

const WIDTH = 1280;
const HEIGHT = 800;
const LAYOUT_DELAY_MS = 1500;
const WAYLAND_DISPLAY = 'wayland-0';
const SHELL = { destination: 'org.gnome.Shell', path: '/org/gnome/Shell', interface: 'org.gnome.Shell' } as const;
const MUTTER = 'org.gnome.Mutter.RemoteDesktop';
const LOGIND_FOLDER = '/run/systemd/seats';

/** Debian packages that start GNOME without a screen. */
const PROGRAMS = {
  'gnome-shell': 'gnome-shell',
  pipewire: 'pipewire',
  wireplumber: 'wireplumber',
  'ibus-daemon': 'ibus',
  Xwayland: 'xwayland',
  foot: 'foot',
  xclip: 'xclip',
  xterm: 'xterm',
  'dbus-daemon': 'dbus-daemon',
} as const;
const MORE_PACKAGES = ['gnome-settings-daemon', 'python3-gi', 'gir1.2-gtk-4.0', 'fonts-dejavu-core'];

/** Returns why GNOME can't be started here; undefined if it can. */
export function getGnomeSkipReason(): string | undefined {
  const missing = Object.keys(PROGRAMS).filter((program) => spawnSync('which', [program]).status !== 0);
  const packages = [...new Set(Object.values(PROGRAMS)), ...MORE_PACKAGES].join(' ');
  if (missing.length > 0) return `needs ${missing.join(', ')}: apt-get install --no-install-recommends ${packages}`;
  return existsSync('/run/systemd/system') ? 'needs a system without logind, such as a container' : undefined;
}

export interface GnomeDesktop extends VirtualDesktop {
  readonly bus: SessionBus;
  /** Path of the shell's log. */
  readonly logPath: string;
  /** Switches to the next layout, by Super-Space. */
  readonly switchLayout: () => Promise<void>;
  readonly spawn: (program: string, args: readonly string[]) => ChildProcess;
  /** Runs a program and returns its output. */
  readonly run: (program: string, args: readonly string[]) => string;
  readonly closeOverview: () => Promise<void>;
  /** Ends the agent's remote input, as the button in the top bar does. */
  readonly endRemoteInput: () => Promise<void>;
}

async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolveExit) => child.once('exit', resolveExit));
  child.kill(signal);
  await exited;
}

/** Returns '' if the file does not exist yet. */
function readTextFile(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** Writes the extension into the home of a user, as the agent does. */
function installExtension(home: string): void {
  const folder = join(home, '.local/share/gnome-shell/extensions', EXTENSION_UUID);
  mkdirSync(folder, { recursive: true });
  const [, version = '43'] = /(\d+)/.exec(spawnSync('gnome-shell', ['--version'], { encoding: 'utf8' }).stdout) ?? [];
  for (const [name, text] of createExtensionFiles(Number(version))) writeFileSync(join(folder, name), text);
}

const TEST_EXTENSION_UUID = 'testing@pegboard.local';
const TEST_SERVICE = {
  destination: 'org.pegboard.Testing',
  path: '/org/pegboard/Testing',
  interface: 'org.pegboard.Testing',
} as const;
/** Does what the button in the top bar does: it ends the remote input of all but the person's keyboard. */
const TEST_EXTENSION = `
const { Gio } = imports.gi;
const XML = '<node><interface name="org.pegboard.Testing"><method name="EndRemoteInput"/></interface></node>';
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
}
function init() {
  return new Testing();
}
`;

/** Installs an extension that lets tests do what a person does with the shell. */
function installTestExtension(home: string): void {
  const folder = join(home, '.local/share/gnome-shell/extensions', TEST_EXTENSION_UUID);
  mkdirSync(folder, { recursive: true });
  const metadata = { uuid: TEST_EXTENSION_UUID, name: 'Testing', description: 'Tests', 'shell-version': ['43', '44'] };
  writeFileSync(join(folder, 'metadata.json'), JSON.stringify(metadata));
  writeFileSync(join(folder, 'extension.js'), TEST_EXTENSION);
}

/** Settings that would get in the way: the welcome, the overview at the corner, and the screen's lock. */
const SETTINGS: readonly (readonly [string, string, string])[] = [
  ['org.gnome.shell', 'welcome-dialog-last-shown-version', '999'],
  ['org.gnome.desktop.interface', 'enable-hot-corners', 'false'],
  ['org.gnome.desktop.interface', 'enable-animations', 'false'],
  ['org.gnome.desktop.session', 'idle-delay', '0'],
  ['org.gnome.desktop.screensaver', 'lock-enabled', 'false'],
];

export interface GnomeOptions {
  readonly hasExtension?: boolean;
}

/** Starts GNOME on a virtual monitor, with its own buses. */
export async function startGnome({ hasExtension = true }: GnomeOptions = {}): Promise<GnomeDesktop> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-gnome-'));
  const busAddress = `unix:path=${join(folder, 'bus')}`;
  const systemBusAddress = `unix:path=${join(folder, 'system-bus')}`;
  // The shell asks for logind where this folder exists, and stops without it.
  rmSync(LOGIND_FOLDER, { recursive: true, force: true });
  mkdirSync('/tmp/.X11-unix', { recursive: true, mode: 0o1777 });
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
    DISPLAY: undefined,
    WAYLAND_DISPLAY: undefined,
  };
  // GNOME's session sets the input method of programs for X11.
  const env: NodeJS.ProcessEnv = { ...baseEnv, WAYLAND_DISPLAY, XMODIFIERS: '@im=ibus' };
  const logPath = join(folder, 'gnome.log');
  const children: ChildProcess[] = [];
  function start(program: string, args: readonly string[], programEnv: NodeJS.ProcessEnv = baseEnv): ChildProcess {
    const child = spawn('sh', ['-c', 'exec "$@" >>"$0" 2>&1', logPath, program, ...args], {
      env: programEnv,
      stdio: 'ignore',
    });
    children.push(child);
    return child;
  }
  const run = (program: string, args: readonly string[]): string => {
    const { stdout, stderr, status } = spawnSync(program, [...args], { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
    return stdout;
  };

  for (const address of [systemBusAddress, busAddress]) {
    const path = address.slice('unix:path='.length);
    start('dbus-daemon', ['--session', `--address=${address}`, '--nofork', '--nopidfile']);
    await waitFor('the bus listens', () => existsSync(path));
  }
  for (const [schema, key, value] of SETTINGS) run('gsettings', ['set', schema, key, value]);
  installTestExtension(folder);
  if (hasExtension) installExtension(folder);
  const extensions = hasExtension ? [TEST_EXTENSION_UUID, EXTENSION_UUID] : [TEST_EXTENSION_UUID];
  run('gsettings', ['set', 'org.gnome.shell', 'enabled-extensions', `['${extensions.join("', '")}']`]);
  start('pipewire', []);
  start('wireplumber', []);
  start('gnome-shell', ['--headless', '--wayland', '--virtual-monitor', `${WIDTH}x${HEIGHT}`]);
  const bus = connectBus(busAddress);
  if (!bus) throw new Error('no session bus');
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

  // As a session does for the services that the bus starts.
  run('dbus-update-activation-environment', ['WAYLAND_DISPLAY', 'DISPLAY', 'XAUTHORITY', 'XDG_CURRENT_DESKTOP']);

  async function closeOverview(): Promise<void> {
    await callBus(bus as SessionBus, {
      ...SHELL,
      interface: 'org.freedesktop.DBus.Properties',
      member: 'Set',
      signature: 'ssv',
      body: [SHELL.interface, 'OverviewActive', ['b', false]],
    });
    await waitFor(
      'the overview is closed',
      async () => (await getBusProperty(bus as SessionBus, SHELL, 'OverviewActive')) === false,
    );
  }
  await closeOverview();

  await waitFor('the extension of the tests runs', () => hasNameOwner(bus, TEST_SERVICE.destination));
  const sessionPath = String(
    await callBus(bus, {
      destination: MUTTER,
      path: '/org/gnome/Mutter/RemoteDesktop',
      interface: MUTTER,
      member: 'CreateSession',
    }),
  );
  const callSession = (member: string, signature?: string, body?: readonly unknown[]) =>
    callBus(bus, {
      destination: MUTTER,
      path: sessionPath,
      interface: `${MUTTER}.Session`,
      member,
      ...(signature === undefined ? {} : { signature }),
      ...(body === undefined ? {} : { body }),
    });
  await callSession('Start');
  const sendKey = async (code: number, isDown: boolean): Promise<void> =>
    void (await callSession('NotifyKeyboardKeycode', 'ub', [code, isDown]));
  for (const isDown of [true, false]) await sendKey(KEY_CODES.LeftShift, isDown);
  if (hasExtension) await waitFor('the extension runs', () => hasNameOwner(bus, EXTENSION_SERVICE.destination));

  async function setLayout(layout: string, option = ''): Promise<void> {
    const sources = layout.split(',').map((name) => `('xkb', '${name}')`);
    const options = option === '' ? '@as []' : `['${option}']`;
    run('gsettings', ['set', 'org.gnome.desktop.input-sources', 'xkb-options', options]);
    run('gsettings', ['set', 'org.gnome.desktop.input-sources', 'sources', `[${sources.join(', ')}]`]);
    // Nothing reports when the shell has compiled the keymap.
    await sleep(LAYOUT_DELAY_MS);
  }
  const desktop: GnomeDesktop = {
    env,
    name: 'GNOME on Wayland',
    bus,
    logPath,
    sendKey,
    setLayout,
    switchLayout: async () => {
      await tapKeys(desktop, KEY_CODES.LeftSuper, KEY_CODES.Space);
      await sleep(LAYOUT_DELAY_MS);
    },
    spawn: (program, args) => start(program, args, env),
    run,
    openTextWindow: async (program) => {
      await closeOverview();
      return openTextWindow((command, args, textEnv) => start(command, args, { ...env, ...textEnv }), program);
    },
    copyText: async (text) => {
      const copy = spawn('xclip', ['-selection', 'clipboard'], { env, stdio: ['pipe', 'ignore', 'ignore'] });
      copy.stdin.end(text);
      await new Promise((resolve) => copy.once('exit', resolve));
    },
    pasteText: () => readText(spawn('xclip', ['-o', '-selection', 'clipboard'], { env, timeout: 10_000 }).stdout),
    closeOverview,
    endRemoteInput: async () => void (await callBus(bus, { ...TEST_SERVICE, member: 'EndRemoteInput' })),
    [Symbol.asyncDispose]: async () => {
      delete process.env['XAUTHORITY'];
      bus.connection.end();
      for (const child of children.toReversed()) await end(child, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return desktop;
}
