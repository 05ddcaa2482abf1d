import { spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs that tests and benchmarks use, and their Debian packages. */
const packages = {
  chromium: 'chromium',
  certutil: 'libnss3-tools',
  openssl: 'openssl',
  Xvfb: 'xvfb',
  openbox: 'openbox',
  xterm: 'xterm',
  xdotool: 'xdotool',
  setxkbmap: 'x11-xkb-utils',
  dunst: 'dunst',
  'dbus-run-session': 'dbus',
  'at-spi-bus-launcher': 'at-spi2-core',
  zenity: 'zenity',
  initdb: 'postgresql',
  'redis-server': 'redis-server',
  caddy: 'caddy',
  pulseaudio: 'pulseaudio',
  pacat: 'pulseaudio-utils',
  pactl: 'pulseaudio-utils',
  pipewire: 'pipewire',
  'pipewire-pulse': 'pipewire-pulse',
  wireplumber: 'wireplumber',
  ffmpeg: 'ffmpeg',
  'yt-dlp': 'yt-dlp',
  bwrap: 'bubblewrap',
  xclip: 'xclip',
  unzip: 'unzip',
  sway: 'sway',
  wtype: 'wtype',
  foot: 'foot',
  fuzzel: 'fuzzel',
  gcc: 'build-essential',
  Xwayland: 'xwayland',
  'wl-copy': 'wl-clipboard',
  xkbcli: 'libxkbcommon-tools',
  setpriv: 'util-linux',
  // A terminal for programs that ask for a passphrase.
  script: 'bsdutils',
  age: 'age',
  radicale: 'radicale',
  vdirsyncer: 'vdirsyncer',
  // Modules of Debian's Python, `/usr/bin/python3`.
  dateutil: 'python3-dateutil',
  icalendar: 'python3-icalendar',
  recurring_ical_events: 'python3-recurring-ical-events',
  caldav: 'python3-caldav',
  gi: 'python3-gi',
  // GTK's description for Python.
  'Gtk-4.0.typelib': 'gir1.2-gtk-4.0',
} as const;

/** What `npm run test:desktops` needs in addition. */
const desktopPackages = {
  'gnome-shell': 'gnome-shell',
  'gsd-xsettings': 'gnome-settings-daemon',
  'ibus-daemon': 'ibus',
  'xdg-desktop-portal-gnome': 'xdg-desktop-portal-gnome',
  gjs: 'gjs',
  // Parts of GStreamer, for recordings.
  'libgstpipewire.so': 'gstreamer1.0-pipewire',
  'libgstmatroska.so': 'gstreamer1.0-plugins-good',
  kwin_wayland: 'kwin-wayland',
} as const;

/** Further browsers; not every system has packages with these names. */
const browserPackages = { 'firefox-esr': 'firefox-esr', WebKitWebDriver: 'webkit2gtk-driver' } as const;

/** Debian's Chromium without its own windows: page tests cost half as much with it. */
export const HEADLESS_CHROMIUM = 'chromium-headless-shell';

const allPackages = { ...packages, ...desktopPackages, ...browserPackages };

export type RequiredProgram = keyof typeof allPackages;

// Debian keeps PostgreSQL's programs and desktop services out of PATH; modules of Python, GTK and GStreamer are not
// programs.
const folders = [
  ...(process.env['PATH'] ?? '').split(delimiter),
  ...globSync('/usr/lib/postgresql/*/bin'),
  '/usr/libexec',
  '/usr/lib/python3/dist-packages',
  ...globSync('/usr/lib/*/{girepository-1.0,gstreamer-1.0}'),
];

/** Returns the path of a program; undefined if this machine lacks it. */
export function findProgram(program: string): string | undefined {
  return folders
    .flatMap((folder) => [join(folder, program), join(folder, `${program}.py`)])
    .find((path) => existsSync(path));
}

const listMissing = (programs: readonly RequiredProgram[]): readonly RequiredProgram[] =>
  programs.filter((program) => !findProgram(program));

const formatInstallCommand = (programs: readonly RequiredProgram[]): string =>
  `apt-get install --no-install-recommends ${[...new Set(programs.map((program) => allPackages[program]))].join(' ')}`;

/**
 * Returns why a test can't run here; undefined if all programs are installed. With `CI=true` it throws instead.
 * Use: `const skipReason = getSkipReason('Xvfb'); test.skipIf(skipReason)(…)`, with the reason in the group name.
 */
export function getSkipReason(...programs: readonly RequiredProgram[]): string | undefined {
  const missing = listMissing(programs);
  if (missing.length === 0) return undefined;
  const reason = `needs ${missing.join(', ')}: ${formatInstallCommand(missing)}`;
  if (process.env['CI'] === 'true') throw new Error(reason);
  return reason;
}

/** Runs a program that prepares the machine; its output is passed through. */
const runSystem = (program: string, args: readonly string[]): Promise<number | null> =>
  new Promise((resolve) => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'], env });
    child.once('error', () => resolve(null)).once('exit', resolve);
  });

const isKnownToApt = (name: string): boolean =>
  spawnSync('apt-cache', ['show', name], { stdio: 'ignore' }).status === 0;

/** Installs what the tests need if possible (root, with apt); otherwise prints what is missing. */
export async function prepareMachine(
  print: (line: string) => void,
  { hasDesktops = false }: { readonly hasDesktops?: boolean } = {},
): Promise<void> {
  const required = { ...packages, ...(hasDesktops && desktopPackages) };
  const missing = listMissing(Object.keys(required) as RequiredProgram[]);
  const mayInstall = process.getuid?.() === 0 && findProgram('apt-get') !== undefined;
  const missingBrowsers = listMissing(Object.keys(browserPackages) as RequiredProgram[]);
  const headlessChromium = findProgram(HEADLESS_CHROMIUM) ? [] : [HEADLESS_CHROMIUM];
  if (mayInstall && missing.length + missingBrowsers.length + headlessChromium.length > 0) {
    const packagesToInstall = [...missing, ...missingBrowsers];
    if (packagesToInstall.length > 0) print(`Installing what the tests need: ${packagesToInstall.join(', ')}`);
    await runSystem('apt-get', ['update', '-qq']);
    // apt installs nothing at all if one name is unknown.
    const browsers = [...missingBrowsers.map((program) => allPackages[program]), ...headlessChromium].filter(
      isKnownToApt,
    );
    const names = new Set([
      ...missing.map((program) => allPackages[program]),
      ...browsers,
      'fonts-dejavu-core',
      'xauth',
    ]);
    await runSystem('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names]);
  }
  const stillMissing = listMissing(Object.keys({ ...required, ...browserPackages }) as RequiredProgram[]);
  if (stillMissing.length > 0)
    print(`Tests that need ${stillMissing.join(', ')} are skipped. To run them: ${formatInstallCommand(stillMissing)}`);
}
