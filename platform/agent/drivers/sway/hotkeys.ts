import { globSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import type { SessionHotkeys } from '../desktopSession.ts';
import type { HotkeyListener, KeyChord } from '../drivers.ts';
import { formatChord } from '../keyChord.ts';
import { getKeysymByHotkey, parseKeysymName } from '../keysyms.ts';
import type { SwayIpc } from './ipc.ts';

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
/** A held key repeats at least this often. */
const REPEAT_INTERVAL_MS = 1000;
const RELEASE_CHECK_INTERVAL_MS = 20;

const bindingEvent = z.object({ change: z.string(), binding: z.object({ command: z.string() }) });
const configReply = z.object({ config: z.string() });
const versionReply = z.object({ loaded_config_file_name: z.optional(z.string()) });
const commandReply = z.array(z.object({ success: z.boolean() }));
const reloadEvent = z.object({ change: z.literal('reload') });

/** Returns sway's name of a chord; undefined if no keyboard has the key. */
export function toSwayChord({ modifiers, key }: KeyChord): string | undefined {
  const keysym = getKeysymByHotkey(key);
  const names = modifiers.map((modifier) => MODIFIER_NAMES[modifier]);
  if (keysym === undefined || names.includes(undefined)) return undefined;
  return [...names, `0x${keysym.toString(16)}`].join('+');
}

/** Returns a chord of sway in a form that doesn't depend on the order and the names that were used. */
function normalizeChord(chord: string): string {
  const parts = chord.split('+').map((part) => {
    const modifier = MODIFIER_ALIASES[part.toLowerCase()];
    if (modifier !== undefined) return modifier;
    const keysym = /^0x[0-9a-f]+$/i.test(part) ? Number(part) : parseKeysymName(part);
    return String(keysym === 0 ? part.toLowerCase() : keysym);
  });
  return parts.toSorted().join('+');
}

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

/** Writes `bindsym` before each line of its blocks. */
const expandBlocks = (config: string): string =>
  config.replaceAll(/^\s*bindsym\b[^\n{]*\{\s*\n([^}]*)\}/gm, (_block, lines: string) =>
    lines.replaceAll(/^\s*(?=\S)/gm, 'bindsym '),
  );

/** Lists the chords that a configuration binds outside of modes. */
function listConfiguredChords(config: string): readonly string[] {
  const variables = new Map<string, string>();
  const chords: string[] = [];
  let depth = 0;
  for (const line of expandBlocks(config)
    .split('\n')
    .map((text) => text.trim())) {
    const [, variable, value] = /^set\s+(\$\S+)\s+(.*)$/.exec(line) ?? [];
    if (variable !== undefined && value !== undefined) variables.set(variable, value);
    const chord = /^bindsym\s+(?:--\S+\s+)*(\S+)/.exec(line)?.[1];
    if (depth === 0 && chord !== undefined)
      chords.push(normalizeChord(chord.replaceAll(/\$[\w-]+/g, (name) => variables.get(name) ?? name)));
    if (line.endsWith('{')) depth += 1;
    if (line.startsWith('}')) depth -= 1;
  }
  return chords;
}

/** Returns whether the user's configuration binds these keys. */
export function isConfigured(config: string, chord: KeyChord): boolean {
  const name = toSwayChord(chord);
  return name !== undefined && listConfiguredChords(config).includes(normalizeChord(name));
}

/** Registers hotkeys as key bindings of sway. They last until sway reloads its configuration, or they are removed. */
export function openSwayHotkeys(ipc: SwayIpc): SessionHotkeys & AsyncDisposable {
  const enqueue = createSerialQueue();
  /** Sends a command. Returns whether sway obeyed. */
  async function run(command: string): Promise<boolean> {
    const replies = commandReply.parse(await ipc.request('run_command', command));
    return replies.every(({ success }) => success);
  }
  let chords: readonly KeyChord[] = [];
  let listener: HotkeyListener | undefined;
  /** Sway's names of the bound chords, by index. */
  let bound = new Map<number, string>();
  let suspendCount = 0;
  let pressed: { readonly index: number; readonly time: number } | undefined;

  const isHeld = (): boolean => pressed !== undefined && performance.now() - pressed.time < REPEAT_INTERVAL_MS;
  /**
   * Removes all bindings, once none of their keys is down: sway would run the command of the removed binding when the
   * key repeats or is released, and may crash.
   */
  async function unbindAll(): Promise<void> {
    while (isHeld()) await sleep(RELEASE_CHECK_INTERVAL_MS);
    for (const name of bound.values()) {
      await run(`unbindsym --to-code ${name}`);
      await run(`unbindsym --to-code --release ${name}`);
    }
    bound = new Map();
  }
  async function bind(index: number, name: string): Promise<boolean> {
    return (
      (await run(`bindsym --to-code ${name} nop pegboard press ${index}`)) &&
      (await run(`bindsym --to-code --release ${name} nop pegboard release ${index}`))
    );
  }
  /** Binds a chord. Returns a sentence if that is not possible. */
  async function bindChord(index: number, chord: KeyChord, config: string): Promise<string | undefined> {
    const name = toSwayChord(chord);
    if (name === undefined)
      return `The keyboard of that computer has no key '${chord.key.slice(0, 20)}'. Choose another one`;
    if (isConfigured(config, chord) || [...bound.values()].includes(name))
      return `Something else on that computer already uses ${formatChord(chord)}. Choose other keys`;
    if (!(await bind(index, name)))
      return `The desktop of that computer doesn't accept ${formatChord(chord)}. Choose other keys`;
    bound.set(index, name);
    return undefined;
  }
  async function bindAll(): Promise<void> {
    // sway sends only its main file.
    const { config: mainConfig } = configReply.parse(await ipc.request('get_config'));
    const { loaded_config_file_name: path = '' } = versionReply.parse(await ipc.request('get_version'));
    const config = resolveIncludes(mainConfig, dirname(path));
    const refused = new Map<number, string>();
    for (const [index, chord] of chords.entries()) {
      const reason = await bindChord(index, chord, config);
      if (reason !== undefined) refused.set(index, reason);
    }
    listener?.onStatus(refused);
  }
  function handleBinding(payload: unknown): void {
    const event = bindingEvent.safeParse(payload);
    const [, action, index] = /^nop pegboard (press|release) (\d+)$/.exec(event.data?.binding.command ?? '') ?? [];
    if (action === undefined) return;
    if (action === 'release') {
      pressed = undefined;
      return;
    }
    const isRepeated = isHeld() && pressed?.index === Number(index);
    pressed = { index: Number(index), time: performance.now() };
    listener?.onPress(Number(index), isRepeated);
  }
  ipc.onEvent((event, payload) => {
    if (event === 'binding') handleBinding(payload);
    if (event === 'workspace' && reloadEvent.safeParse(payload).success)
      enqueue(async () => {
        bound = new Map();
        if (suspendCount === 0) await bindAll();
      }).catch(() => undefined); // sway has ended
  });

  return {
    listen: (newChords, newListener) =>
      void enqueue(async () => {
        await unbindAll();
        chords = newChords;
        listener = newListener;
        if (suspendCount === 0) await bindAll();
      }).catch(() => undefined), // sway has ended
    runWithout: async (task) => {
      // Not those that are bound, as they may just be bound again.
      if (chords.length === 0) return task();
      suspendCount += 1;
      try {
        await enqueue(unbindAll).catch(() => undefined); // sway has ended
        return await task();
      } finally {
        suspendCount -= 1;
        enqueue(async () => {
          if (suspendCount === 0) await bindAll();
        }).catch(() => undefined); // sway has ended
      }
    },
    [Symbol.asyncDispose]: () => enqueue(unbindAll).catch(() => undefined), // sway has ended
  };
}
