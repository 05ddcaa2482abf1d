import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import type { SessionHotkeys } from '../desktopSession.ts';
import type { HotkeyListener, KeyChord } from '../drivers.ts';
import { formatChord } from '../keyChord.ts';
import { DEFAULT_MODE, isConfigured, resolveIncludes, toSwayChord, type ConfiguredKeysOptions } from './config.ts';
import type { SwayIpc } from './ipc.ts';

/** A held key repeats at least this often. */
const REPEAT_INTERVAL_MS = 1000;
const RELEASE_CHECK_INTERVAL_MS = 20;
/** Sway 1.7 is the first version that reports its mode. */
const FIRST_MINOR_VERSION_WITH_STATE = 7;

const bindingEvent = z.object({ change: z.string(), binding: z.object({ command: z.string() }) });
const configReply = z.object({ config: z.string() });
const versionReply = z.object({
  major: z._default(z.number(), 0),
  minor: z._default(z.number(), 0),
  loaded_config_file_name: z.optional(z.string()),
});
const bindingStateReply = z.object({ name: z.string() });
/** Sway's event of a new mode. */
const modeEvent = z.object({ change: z.string() });
const commandReply = z.array(z.object({ success: z.boolean() }));
const reloadEvent = z.object({ change: z.literal('reload') });

const quote = (name: string): string => (name.includes('"') ? `'${name}'` : `"${name}"`);

const formatMode = (name: string): string => `mode ${quote(name)}`;

const formatBind = (index: number, name: string): string =>
  `bindsym --to-code ${name} nop pegboard press ${index}; bindsym --to-code --release ${name} nop pegboard release ${index}`;

const formatUnbind = (names: Iterable<string>): string =>
  Array.from(names, (name) => `unbindsym --to-code ${name}; unbindsym --to-code --release ${name}`).join('; ');

/** A chord that sway can bind, with sway's name. */
interface Hotkey {
  readonly chord: KeyChord;
  readonly name: string;
}

/**
 * Registers hotkeys as key bindings of sway. They last until sway reloads its configuration, or they are removed. Each
 * mode of sway has its own bindings, and programs can change only those of the current one.
 */
export function openSwayHotkeys(
  ipc: SwayIpc,
  findKeyCode?: ConfiguredKeysOptions['findKeyCode'],
): SessionHotkeys & AsyncDisposable {
  const enqueue = createSerialQueue();
  /** Sends commands. Returns whether sway obeyed, and the mode in which it did: the user may change it at any time. */
  async function run(commands: string): Promise<{ readonly isAccepted: boolean; readonly ranIn: string }> {
    let ranIn = mode;
    const reply = await ipc.request('run_command', commands, () => {
      ranIn = mode;
    });
    return { isAccepted: commandReply.parse(reply).every(({ success }) => success), ranIn };
  }
  let chords: readonly KeyChord[] = [];
  let listener: HotkeyListener | undefined;
  /** Those that the user's configuration leaves free, by index. */
  let hotkeys = new Map<number, Hotkey>();
  let config = '';
  let mode = DEFAULT_MODE;
  /** Sway's names of the bound chords by index, for each mode. */
  const boundByMode = new Map<string, ReadonlyMap<number, string>>();
  let suspendCount = 0;
  let pressed: { readonly index: number; readonly time: number } | undefined;

  const isHeld = (): boolean => pressed !== undefined && performance.now() - pressed.time < REPEAT_INTERVAL_MS;
  /** Resolves when no hotkey is down: sway runs a removed binding when its key is released, or crashes. */
  async function waitForRelease(): Promise<void> {
    while (isHeld()) await sleep(RELEASE_CHECK_INTERVAL_MS);
  }
  /** Records that a hotkey is bound in a mode by this name, or not any more. */
  function setBound(modeName: string, index: number, name: string | undefined): void {
    const bound = new Map(boundByMode.get(modeName));
    if (name === undefined) bound.delete(index);
    else bound.set(index, name);
    if (bound.size > 0) boundByMode.set(modeName, bound);
    else boundByMode.delete(modeName);
  }
  /** Removes the bindings of the current mode. */
  async function unbind(): Promise<void> {
    if (!boundByMode.has(mode)) return;
    await waitForRelease();
    const bound = boundByMode.get(mode);
    if (!bound) return;
    const { ranIn } = await run(formatUnbind(bound.values()));
    for (const index of bound.keys()) setBound(ranIn, index, undefined);
  }
  /** Removes the bindings of all modes. */
  async function unbindAll(): Promise<void> {
    await unbind();
    await waitForRelease();
    const others = [...boundByMode].map(([name, bound]) => `${formatMode(name)}; ${formatUnbind(bound.values())}`);
    boundByMode.clear();
    if (others.length > 0) await run([...others, formatMode(mode)].join('; '));
  }
  const isConfiguredIn = (modeName: string, chord: KeyChord): boolean =>
    isConfigured(config, chord, { mode: modeName, findKeyCode });
  /** Binds the hotkeys in the current mode. Returns a sentence for each one that sway refuses. */
  async function bind(): Promise<ReadonlyMap<number, string>> {
    const startMode = mode;
    const refused = new Map<number, string>();
    for (const [index, { chord, name }] of hotkeys) {
      // The event of the mode that has just begun binds the others.
      if (mode !== startMode) break;
      if (boundByMode.get(mode)?.has(index) || isConfiguredIn(mode, chord)) continue;
      const { isAccepted, ranIn } = await run(formatBind(index, name));
      if (!isAccepted)
        refused.set(index, `The desktop of that computer doesn't accept ${formatChord(chord)}. Choose other keys`);
      else if (isConfiguredIn(ranIn, chord)) await run(formatUnbind([name]));
      else setBound(ranIn, index, name);
    }
    return refused;
  }
  /** Returns why a chord can't be bound in any mode. */
  function explainRefusal(chord: KeyChord, name: string | undefined): string | undefined {
    if (name === undefined)
      return `The keyboard of that computer has no key '${chord.key.slice(0, 20)}'. Choose another one`;
    if (isConfigured(config, chord, { findKeyCode }) || [...hotkeys.values()].some((other) => other.name === name))
      return `Something else on that computer already uses ${formatChord(chord)}. Choose other keys`;
    return undefined;
  }
  /** Reads the user's configuration and the mode. */
  async function readConfig(): Promise<void> {
    // sway sends only its main file.
    const { config: mainConfig } = configReply.parse(await ipc.request('get_config'));
    const { loaded_config_file_name: path = '', ...version } = versionReply.parse(await ipc.request('get_version'));
    config = resolveIncludes(mainConfig, dirname(path));
    // Older versions don't answer.
    if (version.major > 1 || version.minor >= FIRST_MINOR_VERSION_WITH_STATE) {
      await ipc.request('get_binding_state', '', (reply) => {
        // An event may come immediately after the reply.
        mode = bindingStateReply.safeParse(reply).data?.name ?? mode;
      });
    }
  }
  async function bindAll(): Promise<void> {
    await readConfig();
    const refused = new Map<number, string>();
    hotkeys = new Map();
    for (const [index, chord] of chords.entries()) {
      const name = toSwayChord(chord);
      const reason = explainRefusal(chord, name);
      if (reason !== undefined) refused.set(index, reason);
      else if (name !== undefined) hotkeys.set(index, { chord, name });
    }
    listener?.onStatus(new Map([...refused, ...(await bind())]));
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
    if (event === 'mode') {
      const { data } = modeEvent.safeParse(payload);
      if (data) mode = data.change;
      enqueue(async () => void (await (suspendCount === 0 ? bind() : unbind()))).catch(() => undefined); // sway has ended
    }
    if (event === 'workspace' && reloadEvent.safeParse(payload).success)
      enqueue(async () => {
        mode = DEFAULT_MODE;
        boundByMode.clear();
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
        await enqueue(unbind).catch(() => undefined); // sway has ended
        return await task();
      } finally {
        suspendCount -= 1;
        enqueue(async () => {
          if (suspendCount === 0) await bindAll();
        }).catch(() => undefined); // sway has ended
      }
    },
    [Symbol.asyncDispose]: () =>
      enqueue(async () => {
        chords = [];
        hotkeys = new Map();
        await unbindAll();
      }).catch(() => undefined), // sway has ended
  };
}
