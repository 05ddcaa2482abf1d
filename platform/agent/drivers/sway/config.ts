// Which keys the user's configuration of sway binds.
import { globSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { KeyChord } from '../drivers.ts';
import { getKeysymByHotkey, parseKeysymName } from '../keysyms.ts';

/** The mode without a name of its own. */
export const DEFAULT_MODE = 'default';
/** The codes of X11, which sway uses as well, start after those that X11 reserves. */
const FIRST_KEY_CODE = 8;

/** The user's modifiers by sway's names. */
const MODIFIER_NAMES: Readonly<Record<string, string>> = {
  Ctrl: 'Control',
  Gui: 'Mod4',
  Alt: 'Mod1',
  Shift: 'Shift',
  AltGr: 'Mod5',
};
/** Other names for modifiers in configurations, in lower case. */
const MODIFIER_ALIASES: Readonly<Record<string, string>> = {
  ctrl: 'Control',
  control: 'Control',
  alt: 'Mod1',
  mod1: 'Mod1',
  super: 'Mod4',
  logo: 'Mod4',
  mod4: 'Mod4',
  mod5: 'Mod5',
  shift: 'Shift',
};

/** Returns sway's name of a chord; undefined if no keyboard has the key. */
export function toSwayChord({ modifiers, key }: KeyChord): string | undefined {
  const keysym = getKeysymByHotkey(key);
  const names = modifiers.map((modifier) => MODIFIER_NAMES[modifier]);
  if (keysym === undefined || names.includes(undefined)) return undefined;
  return [...names, `0x${keysym.toString(16)}`].join('+');
}

/** Returns a chord in a form that doesn't depend on the order and the names of modifiers that were used. */
const normalizeParts = (chord: string, normalizeKey: (key: string) => string): string =>
  chord
    .split('+')
    .map((part) => MODIFIER_ALIASES[part.toLowerCase()] ?? normalizeKey(part))
    .toSorted()
    .join('+');
const normalizeChord = (chord: string): string =>
  normalizeParts(chord, (key) => {
    const keysym = /^0x[0-9a-f]+$/i.test(key) ? Number(key) : parseKeysymName(key);
    return String(keysym === 0 ? key.toLowerCase() : keysym);
  });
/** The same for a chord whose key is a code. */
const normalizeCodeChord = (chord: string): string => normalizeParts(chord, (code) => `code ${code}`);

/**
 * Returns a configuration with the included files in place of the lines that include them. Like sway, it includes each
 * file once, and leaves out what can't be read.
 * @param folder with the configuration, to which included paths are relative.
 */
export function resolveIncludes(config: string, folder: string, included = new Set<string>()): string {
  const read = (path: string): string => {
    if (included.has(path)) return '';
    included.add(path);
    try {
      return resolveIncludes(readFileSync(path, 'utf8'), dirname(path), included);
    } catch {
      return ''; // a folder, or not readable
    }
  };
  return config.replaceAll(/^\s*include\s+(.+)$/gm, (_line, quoted: string) => {
    const pattern = quoted
      .replaceAll(/["']/g, '')
      .trim()
      .replace(/^(?:~|\$HOME)(?=\/)/, homedir());
    const paths = globSync(pattern, { cwd: folder }).toSorted();
    return paths.map((path) => read(resolve(folder, path))).join('\n');
  });
}

/** Writes `bindsym` or `bindcode` before each line of its blocks. */
const expandBlocks = (config: string): string =>
  config.replaceAll(/^\s*(bindsym|bindcode)\b[^\n{]*\{\s*\n([^}]*)\}/gm, (_block, command: string, lines: string) =>
    lines.replaceAll(/^\s*(?=\S)/gm, `${command} `),
  );

/** Returns the lines of a configuration with the values of its variables in their places. */
function listLines(config: string): readonly string[] {
  const variables = new Map<string, string>();
  return expandBlocks(config)
    .split('\n')
    .map((line) => {
      const [, variable, value] = /^\s*set\s+(\$\S+)\s+(.*)$/.exec(line) ?? [];
      if (variable !== undefined && value !== undefined) variables.set(variable, value.trim());
      return line.trim().replaceAll(/\$[\w-]+/g, (name) => variables.get(name) ?? name);
    });
}

/** Returns the normalized chord that a line binds; undefined if it binds none. */
function parseBinding(line: string): string | undefined {
  const [, command, chord] = /^(bindsym|bindcode)\s+(?:--\S+\s+)*(\S+)/.exec(line) ?? [];
  if (chord === undefined) return undefined;
  return command === 'bindcode' ? normalizeCodeChord(chord) : normalizeChord(chord);
}

/** Lists the chords that a configuration binds in a mode. */
function listConfiguredChords(config: string, mode: string): readonly string[] {
  /** The mode of each open block; undefined for other blocks. */
  const blocks: (string | undefined)[] = [DEFAULT_MODE];
  return listLines(config).flatMap((line) => {
    const [, name, rest = line] = /^mode\s+(?:--pango_markup\s+)?("[^"]*"|'[^']*'|\S+)\s+(.*)$/.exec(line) ?? [];
    const lineMode = name?.replaceAll(/^["']|["']$/g, '');
    const chord = (lineMode ?? blocks.at(-1)) === mode ? parseBinding(rest) : undefined;
    if (line.endsWith('{')) blocks.push(lineMode);
    if (line.startsWith('}')) blocks.pop();
    return chord ?? [];
  });
}

export interface ConfiguredKeysOptions {
  /** The mode of sway's bindings. */
  readonly mode?: string;
  /** Returns the kernel's code of the key that has a keysym. */
  readonly findKeyCode?: ((keysym: number) => number | undefined) | undefined;
}

/** Returns whether the user's configuration binds these keys, by their symbol or their code. */
export function isConfigured(
  config: string,
  chord: KeyChord,
  { mode = DEFAULT_MODE, findKeyCode = () => undefined }: ConfiguredKeysOptions = {},
): boolean {
  const keysym = getKeysymByHotkey(chord.key);
  const name = toSwayChord(chord);
  if (keysym === undefined || name === undefined) return false;
  const code = findKeyCode(keysym);
  const chords = [normalizeChord(name)];
  if (code !== undefined) chords.push(normalizeCodeChord(name.replace(/[^+]+$/, String(code + FIRST_KEY_CODE))));
  return listConfiguredChords(config, mode).some((configured) => chords.includes(configured));
}
