import { spawnSync, type SpawnSyncOptions } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that tests and benchmarks use, and the Debian package that brings it. */
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
  initdb: 'postgresql',
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
  radicale: 'radicale',
  vdirsyncer: 'vdirsyncer',
  // Modules of Debian's own Python, `/usr/bin/python3`.
  dateutil: 'python3-dateutil',
  icalendar: 'python3-icalendar',
  recurring_ical_events: 'python3-recurring-ical-events',
  caldav: 'python3-caldav',
} as const;

/** Debian's Chromium without windows of its own: tests of pages cost half as much where it can be had. */
export const LEAN_CHROMIUM = 'chromium-headless-shell';

export type Program = keyof typeof packages;

// Debian keeps PostgreSQL's server programs out of PATH, and Python's modules are no programs.
const folders = [
  ...(process.env['PATH'] ?? '').split(delimiter),
  ...globSync('/usr/lib/postgresql/*/bin'),
  '/usr/lib/python3/dist-packages',
];

/** Where a program stands; undefined where this machine lacks it. */
export const findProgram = (program: string): string | undefined =>
  folders.flatMap((folder) => [join(folder, program), join(folder, `${program}.py`)]).find((path) => existsSync(path));

const missing = (programs: readonly Program[]): readonly Program[] => programs.filter((one) => !findProgram(one));

const installCommand = (programs: readonly Program[]): string =>
  `apt-get install --no-install-recommends ${[...new Set(programs.map((one) => packages[one]))].join(' ')}`;

/**
 * Why a test cannot run here: undefined where every program it needs is there. With `CI=true` nothing may be skipped, so it throws instead.
 * Use: `const lack = lacks('Xvfb', 'xterm'); test.skipIf(lack)(…)`, with the sentence in the name of the group.
 */
export const lacks = (...programs: readonly Program[]): string | undefined => {
  const absent = missing(programs);
  if (absent.length === 0) return undefined;
  const sentence = `needs ${absent.join(', ')}: ${installCommand(absent)}`;
  if (process.env['CI'] === 'true') throw new Error(sentence);
  return sentence;
};

const install = (names: readonly string[]): void => {
  const options: SpawnSyncOptions = {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  spawnSync('apt-get', ['update', '-qq'], options);
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], options);
};

/** Installs what the tests need where this may be done (root, with apt); says what is missing otherwise. */
export const prepareMachine = (say: (line: string) => void): void => {
  const absent = missing(Object.keys(packages) as Program[]);
  const mayInstall = process.getuid?.() === 0 && findProgram('apt-get') !== undefined;
  if (absent.length > 0 && !mayInstall)
    say(`Tests that need ${absent.join(', ')} will be skipped. To run them: ${installCommand(absent)}`);
  if (absent.length > 0 && mayInstall) {
    say(`Installing what the tests need: ${absent.join(', ')}`);
    install([...new Set(absent.map((one) => packages[one])), 'fonts-dejavu-core', 'xauth']);
  }
  // By itself: where the system has no such package, all the others are there.
  if (mayInstall && !findProgram(LEAN_CHROMIUM)) install([LEAN_CHROMIUM]);
};
