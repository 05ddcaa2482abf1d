// The active keyboard layout according to GNOME's settings, for desktops without the extension, which reports it.
import { execFile } from 'node:child_process';

const SCHEMA = 'org.gnome.desktop.input-sources';
const SETTINGS_TIMEOUT_MS = 2000;
const LAYOUTS_PER_KEYMAP = 3;

/** Reads a list of input sources from GNOME's settings; empty if there is none. */
function readSources(env: NodeJS.ProcessEnv, key: string): Promise<readonly string[]> {
  return new Promise((resolve) => {
    execFile('gsettings', ['get', SCHEMA, key], { env, timeout: SETTINGS_TIMEOUT_MS }, (error, stdout) => {
      resolve(error ? [] : parseXkbSources(stdout));
    });
  });
}

/** Returns the names of the keyboard layouts in a list such as "[('xkb', 'de'), ('ibus', 'libpinyin')]". */
export function parseXkbSources(text: string): readonly string[] {
  return [...text.matchAll(/\('xkb',\s*'([^']*)'\)/g)].map(([, name = '']) => name);
}

/**
 * Returns the index of the active layout in the keymap. GNOME puts three layouts into each keymap, and a fourth one for
 * shortcuts.
 * @param recent all layouts, the one that was selected last first.
 */
export function findLayoutGroup(sources: readonly string[], recent: readonly string[]): number {
  const active = recent.find((name) => sources.includes(name));
  const index = [...new Set(sources)].findIndex((name) => name === active);
  return Math.max(0, index) % LAYOUTS_PER_KEYMAP;
}

/** Finds the active layout in GNOME's settings: the one that was selected last. */
export async function readLayoutGroup(env: NodeJS.ProcessEnv): Promise<number> {
  return findLayoutGroup(await readSources(env, 'sources'), await readSources(env, 'mru-sources'));
}
