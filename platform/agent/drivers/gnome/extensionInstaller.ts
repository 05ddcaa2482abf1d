import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Refusal } from '#platform/contract/refusal.ts';
import { connectBus, getBusProperty } from '../sessionBus.ts';
import { createExtensionFiles, EXTENSION_UUID } from './shellExtension.ts';

const SHELL = { destination: 'org.gnome.Shell', path: '/org/gnome/Shell', interface: 'org.gnome.Shell' } as const;
const SCHEMA = 'org.gnome.shell';
const ENABLED_KEY = 'enabled-extensions';
const OLDEST_VERSION = 43;

/** Returns the folder of our extension. */
export function getExtensionFolder(env: NodeJS.ProcessEnv): string {
  const data = env['XDG_DATA_HOME'] || join(env['HOME'] ?? homedir(), '.local/share');
  return join(data, 'gnome-shell/extensions', EXTENSION_UUID);
}

/** Says why our extension doesn't run, and what to do. */
export function describeMissingExtension(env: NodeJS.ProcessEnv): string {
  return existsSync(join(getExtensionFolder(env), 'extension.js'))
    ? "GNOME doesn't run Pegboard's extension. Sign out of that computer and in again, and check that it is on in the Extensions app there"
    : 'GNOME tells only extensions about windows and hotkeys. On that computer, run the agent\'s command with "gnome-extension install" instead of "run", then sign out and in again';
}

function runGsettings(env: NodeJS.ProcessEnv, ...args: readonly string[]): string {
  try {
    return execFileSync('gsettings', [...args], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch (cause) {
    throw new Refusal(
      'agent.gsettings_failed',
      "GNOME's settings could not be changed. Switch the extension Pegboard on in the Extensions app",
      { cause },
    );
  }
}

/** Returns the names in a list such as "['a', 'b']" or "@as []". */
export function parseNames(text: string): readonly string[] {
  return [...text.matchAll(/'([^']*)'/g)].map(([, name = '']) => name);
}

const formatNames = (names: readonly string[]): string =>
  names.length === 0 ? '@as []' : `[${names.map((name) => `'${name}'`).join(', ')}]`;

function setEnabled(env: NodeJS.ProcessEnv, isEnabled: boolean): void {
  const names = parseNames(runGsettings(env, 'get', SCHEMA, ENABLED_KEY)).filter((name) => name !== EXTENSION_UUID);
  runGsettings(env, 'set', SCHEMA, ENABLED_KEY, formatNames(isEnabled ? [...names, EXTENSION_UUID] : names));
}

/** Returns the major version of the running GNOME Shell, such as 43; undefined if none runs. */
async function readShellVersion(env: NodeJS.ProcessEnv): Promise<number | undefined> {
  const address = env['DBUS_SESSION_BUS_ADDRESS'];
  const bus = address ? connectBus(address) : undefined;
  if (!bus) return undefined;
  try {
    const version = Number.parseInt(String(await getBusProperty(bus, SHELL, 'ShellVersion')), 10);
    return Number.isNaN(version) ? undefined : version;
  } catch {
    return undefined; // another desktop
  } finally {
    bus.connection.end();
  }
}

/** Writes the files of the extension that differ. */
function writeFiles(folder: string, version: number): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of createExtensionFiles(version)) {
    const path = join(folder, name);
    if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
  }
}

/** Installs the extension of this agent into the user's home. Returns lines that say what was done. */
export async function installExtension(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const version = await readShellVersion(env);
  if (version === undefined)
    throw new Refusal('agent.no_gnome', 'This computer does not run GNOME now. Log in to GNOME, then run this again');
  if (version < OLDEST_VERSION)
    throw new Refusal(
      'agent.gnome_too_old',
      `This is GNOME ${version}. Pegboard's extension needs GNOME ${OLDEST_VERSION} or newer`,
    );
  writeFiles(getExtensionFolder(env), version);
  setEnabled(env, true);
  if (runGsettings(env, 'get', SCHEMA, 'disable-user-extensions').trim() === 'true')
    return [
      'Installed the GNOME extension Pegboard, but extensions are switched off on this computer',
      'Switch them on in the Extensions app, then sign out and in again',
    ];
  return [
    'Installed the GNOME extension Pegboard: it tells the agent which windows are open, and listens for its hotkeys',
    'Sign out of this computer and in again once, because GNOME loads new extensions only then',
  ];
}

/** Removes the extension. Returns lines that say what was done. */
export function uninstallExtension(env: NodeJS.ProcessEnv): readonly string[] {
  const folder = getExtensionFolder(env);
  if (!existsSync(folder)) return ['The GNOME extension Pegboard is not installed'];
  setEnabled(env, false);
  rmSync(folder, { recursive: true });
  return ['Removed the GNOME extension Pegboard'];
}

/** Brings an installed extension up to date, for example after an update of GNOME. It applies at the next login. */
export async function updateExtension(env: NodeJS.ProcessEnv): Promise<void> {
  const folder = getExtensionFolder(env);
  if (!existsSync(join(folder, 'metadata.json'))) return;
  const version = await readShellVersion(env);
  if (version !== undefined && version >= OLDEST_VERSION) writeFiles(folder, version);
}
