import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import type { SessionBus } from '@homebridge/dbus-native';
import { openFakeInput } from '#platform/agent/drivers/kde/fakeInput.ts';
import { callBus, connectBus } from '#platform/agent/drivers/sessionBus.ts';
import { connectWayland } from '#platform/agent/drivers/wayland/connection.ts';
import { openSeatKeymap } from '#platform/agent/drivers/wayland/seatKeymap.ts';
import { writeKdeEntry } from '#platform/agent/service.ts';
import { getSkipReason } from '../../machine.ts';
import { getFolderSkipReason, getRoot, toRootCommand, type DesktopSystem } from './chroot.ts';
import { waitFor } from './desktop.ts';
import { openTextWindow } from './textWindow.ts';
import { readTextFile, removeDesktopFolder, type VirtualDesktop } from './virtualDesktop.ts';

const WIDTH = 1280;
const HEIGHT = 800;
const SOCKET = 'wayland-kde';

/** KWin reads desktop entries through menus, which a Plasma desktop has. */
const MENU = `<!DOCTYPE Menu PUBLIC "-//freedesktop//DTD Menu 1.0//EN" "http://www.freedesktop.org/standards/menu-spec/1.0/menu.dtd">
<Menu>
  <Name>Applications</Name>
  <DefaultAppDirs/>
  <DefaultDirectoryDirs/>
  <Include><All/></Include>
</Menu>
`;

export const KWIN_SYSTEMS: readonly DesktopSystem[] = [
  { version: 5.27 },
  { version: 6.3, folder: { variable: 'PEGBOARD_KWIN_6_3_FOLDER', suite: 'trixie' } },
  { version: 6.7, folder: { variable: 'PEGBOARD_KWIN_6_7_FOLDER', suite: 'sid' } },
];
const FOLDER_PACKAGES = ['kwin-wayland', 'kglobalacceld', 'dbus', 'xkb-data'];

/** Returns why this KWin can't be tested here, and what installs it; undefined if it can. */
export function getKwinSkipReason(system: DesktopSystem): string | undefined {
  return (
    getSkipReason('dbus-run-session', 'wl-copy', 'gi', 'Gtk-4.0.typelib') ??
    (system.folder ? getFolderSkipReason(system, 'kwin_wayland', FOLDER_PACKAGES) : getSkipReason('kwin_wayland'))
  );
}

/** A KDE desktop without a screen and without Plasma's panels. */
export interface KwinDesktop extends VirtualDesktop {
  readonly bus: SessionBus;
  readonly spawn: (program: string, args: readonly string[]) => ChildProcess;
  /** Kills KWin, which starts again as in Plasma, but only once. `sendKey` and `setLayout` don't work afterwards. */
  readonly crash: () => Promise<void>;
}

/** Starts KWin on a virtual screen, and lets the program of this process type there. */
export async function startKwin(system: DesktopSystem): Promise<KwinDesktop> {
  const root = getRoot(system);
  const folder = mkdtempSync('/tmp/pegboard-kwin-');
  chmodSync(folder, 0o700);
  mkdirSync(join(folder, '.config', 'menus'), { recursive: true });
  writeFileSync(join(folder, '.config', 'menus', 'applications.menu'), MENU);
  writeKdeEntry({ HOME: folder }, process.execPath);
  // Debian's file has a capability that containers lack; a copy has none.
  const program = join(folder, 'kwin_wayland');
  copyFileSync(join(root ?? '/', 'usr/bin/kwin_wayland'), program);
  chmodSync(program, 0o755);
  const addressPath = join(folder, 'bus-address');
  const command: readonly string[] = [
    'dbus-run-session',
    'sh',
    '-c',
    'echo "$DBUS_SESSION_BUS_ADDRESS" > "$0"; "$@"; [ -e "$0-end" ] || exec "$@"',
    addressPath,
    program,
    '--virtual',
    '--width',
    String(WIDTH),
    '--height',
    String(HEIGHT),
    '--no-lockscreen',
    '--socket',
    SOCKET,
  ];
  const [starter = '', ...starterArgs] = toRootCommand(root, command);
  const compositor = spawn(starter, starterArgs, {
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      XDG_RUNTIME_DIR: folder,
      LC_ALL: 'C.UTF-8',
      XDG_SESSION_TYPE: 'wayland',
      QT_NO_XDG_DESKTOP_PORTAL: '1',
      KWIN_COMPOSE: 'Q',
      LIBGL_ALWAYS_SOFTWARE: '1',
    },
    stdio: 'ignore',
  });
  const socket = join(folder, SOCKET);
  await waitFor('KWin listens', () => existsSync(socket) && readTextFile(addressPath) !== '');
  const busAddress = readTextFile(addressPath).trim();
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    DISPLAY: undefined,
    HOME: folder,
    XDG_RUNTIME_DIR: folder,
    XDG_SESSION_TYPE: 'wayland',
    WAYLAND_DISPLAY: socket,
    DBUS_SESSION_BUS_ADDRESS: busAddress,
    LC_ALL: 'C.UTF-8',
  };
  const bus = connectBus(busAddress);
  if (!bus) throw new Error('there is no bus');
  // The file of its socket exists a moment before it listens there.
  const connection = await waitFor('KWin answers', () => connectWayland(socket).catch(() => undefined));
  const input = openFakeInput(connection);
  if (!input) throw new Error('KWin does not let this process type');
  const keymap = await openSeatKeymap(connection);
  async function crash(): Promise<void> {
    const dbusService = { destination: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus' } as const;
    const call = { ...dbusService, interface: 'org.freedesktop.DBus', member: 'GetConnectionUnixProcessID' } as const;
    const pid = await callBus(bus as SessionBus, { ...call, signature: 's', body: ['org.kde.KWin'] });
    process.kill(Number(pid), 'SIGKILL');
  }

  let currentLayouts = 'us ';
  async function setLayout(layouts: string, option = ''): Promise<void> {
    if (`${layouts} ${option}` === currentLayouts) return;
    currentLayouts = `${layouts} ${option}`;
    const { text } = keymap.getKeymap();
    writeFileSync(
      join(folder, '.config', 'kxkbrc'),
      `[Layout]\nUse=true\nLayoutList=${layouts}\nVariantList=\nResetOldOptions=true\nOptions=${option}\n`,
    );
    bus?.sendSignal('/Layouts', 'org.kde.keyboard', 'reloadConfig', '', []);
    // The same for KWin 6.7: these entries of this group have changed.
    const changes = [['Layout', [Buffer.from('LayoutList'), Buffer.from('Options')]]];
    bus?.sendSignal('/kxkbrc', 'org.kde.kconfig.notify', 'ConfigChanged', 'a{saay}', [changes]);
    await waitFor('KWin uses the layout', async () => {
      await connection.sync();
      return keymap.getKeymap().text !== text;
    });
  }
  return {
    env,
    name: 'KDE on Wayland',
    bus,
    sendKey: async (code, isDown) => {
      input.send('keyboard_key', code, isDown ? 1 : 0);
      await connection.sync();
    },
    setLayout,
    spawn: (name, words) => spawn(name, [...words], { env, stdio: 'ignore' }),
    openTextWindow: (textProgram) =>
      openTextWindow(
        (name, words, textEnv) =>
          // With a bus, a second window would be one of the first process.
          spawn(name, [...words], {
            env: { ...env, ...textEnv, DBUS_SESSION_BUS_ADDRESS: undefined },
            stdio: 'ignore',
          }),
        textProgram,
      ),
    copyText: async (text) => void spawn('wl-copy', [text], { env, stdio: 'ignore' }),
    pasteText: () => readText(spawn('wl-paste', ['-n'], { env, stdio: ['ignore', 'pipe', 'ignore'] }).stdout),
    crash,
    [Symbol.asyncDispose]: async () => {
      await connection[Symbol.asyncDispose]();
      const exited = new Promise((resolveExit) => compositor.once('exit', resolveExit));
      writeFileSync(`${addressPath}-end`, '');
      await crash();
      await exited;
      bus.connection.end();
      removeDesktopFolder(folder);
    },
  };
}
