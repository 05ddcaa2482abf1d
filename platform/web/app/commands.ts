import { useLayoutEffect, useRef } from 'react';
import { browserStorage } from '../browser/browserStorage.ts';
import { isTextField, bufferTyping } from '../browser/typeAhead.ts';
import { createStore, useStore } from '../store.ts';

/** An action with a name and optional keys, used for palette, shortcut sheet and tooltips. */
export interface Command {
  readonly id: string;
  readonly name: string;
  /**
   * 'Mod+K' (Ctrl, on a Mac Cmd), 'Alt+K', a letter '?' or a sequence 'g d'; several if each one runs it. Without keys
   * the command is only in the palette.
   */
  readonly keys?: string | readonly string[];
  /** Absent if the focused element handles the keys; the command is then only listed. */
  readonly run?: () => void;
  /** Focuses a field, possibly after loading it. Text typed until then goes into the field. */
  readonly opensField?: boolean;
  /** While false, the command has no effect and is only in the sheet. Leave out commands that a page can never run. */
  readonly when?: () => boolean;
  /** Heading in palette and sheet; 'This page' by default. */
  readonly group?: 'This page' | 'Go to' | 'Everywhere';
}

/** Storage key that turns single letters off (WCAG 2.1.4): 'off' or not set. */
export const SINGLE_LETTERS_KEY = 'singleletters';
const SEQUENCE_TIMEOUT_MS = 1500;

const commands = createStore<readonly Command[]>([]);

export function useAllCommands(): readonly Command[] {
  return useStore(commands);
}

/** A command that can run now. */
export type RunnableCommand = Command & { readonly run: () => void };
export function isRunnable(command: Command): command is RunnableCommand {
  return command.run !== undefined && command.when?.() !== false;
}
export function listKeys({ keys = [] }: Command): readonly string[] {
  return typeof keys === 'string' ? [keys] : keys;
}

/**
 * Registers commands while the calling component is mounted. `run` and `when` may change at every render; a change of
 * anything else registers them again.
 */
export function useCommands(ownCommands: readonly Command[]): void {
  const latest = useRef(ownCommands);
  // Update in the same commit as the page, so that a key never runs the command of an earlier state.
  useLayoutEffect(() => {
    latest.current = ownCommands;
  });
  // Functions are left out, so that only changes of the other fields register the commands again.
  const serialized = JSON.stringify(ownCommands);
  useLayoutEffect(() => {
    const findLatest = (id: string): Command | undefined => latest.current.find((command) => command.id === id);
    const registered = (JSON.parse(serialized) as readonly Omit<Command, 'run' | 'when'>[]).map((command): Command => ({
      ...command,
      ...(findLatest(command.id)?.run && { run: () => findLatest(command.id)?.run?.() }),
      when: () => findLatest(command.id)?.when?.() !== false,
    }));
    commands.set([...commands.get(), ...registered]);
    return () => commands.set(commands.get().filter((command) => !registered.includes(command)));
  }, [serialized]);
}

/** Returns whether a dialog is open, which makes the keys of the page inactive. */
export function isBehindDialog(): boolean {
  return document.querySelector('[role=dialog][aria-modal=true], dialog[open]') !== null;
}

/** Returns the pressed chord, such as 'Mod+K' for Ctrl-K; undefined for a plain character. */
function getChord(event: KeyboardEvent): string | undefined {
  if (!event.ctrlKey && !event.metaKey && !event.altKey) return undefined;
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const mod = event.ctrlKey || event.metaKey ? 'Mod+' : '';
  return `${mod}${event.altKey ? 'Alt+' : ''}${event.shiftKey && event.key.length > 1 ? 'Shift+' : ''}${key}`;
}

let previousKey = { keys: '', at: -Infinity };

const findCommand = (runnable: readonly RunnableCommand[], keys: string): RunnableCommand | undefined =>
  runnable.findLast((command) => listKeys(command).includes(keys));

/** Finds the command of a plain key, also as the end of a sequence. */
function findPlainCommand(event: KeyboardEvent): RunnableCommand | undefined {
  if (event.key.length !== 1 || browserStorage.get(SINGLE_LETTERS_KEY) === 'off') return undefined;
  const isSequence = event.timeStamp - previousKey.at < SEQUENCE_TIMEOUT_MS;
  const sequence = isSequence ? `${previousKey.keys} ${event.key}` : event.key;
  const runnable = commands.get().filter(isRunnable);
  const match = findCommand(runnable, sequence) ?? findCommand(runnable, event.key);
  const startsSequence =
    match === undefined &&
    runnable.some((command) => listKeys(command).some((keys) => keys.startsWith(`${event.key} `)));
  previousKey = startsSequence ? { keys: event.key, at: event.timeStamp } : { keys: '', at: -Infinity };
  return match;
}

/** Runs the command of a key; the last registered one wins. Plain keys are ignored in fields and behind dialogs. */
export function onCommandKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.repeat || event.isComposing) return;
  const chord = getChord(event);
  const isPlain = chord === undefined;
  if (isBehindDialog() || (isPlain && isTextField(event.target))) return;
  const command = isPlain ? findPlainCommand(event) : findCommand(commands.get().filter(isRunnable), chord);
  if (!command) return;
  event.preventDefault();
  command.run();
  if (command.opensField === true && !isTextField(document.activeElement)) bufferTyping();
}

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.platform);

const KEYCAPS: Readonly<Record<string, string>> = {
  Mod: IS_MAC ? 'Cmd' : 'Ctrl',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
};

/** Formats keys for people: ['Ctrl', 'K'], ['g', 'd'], ['Space'], ['+']. */
export function formatKeys(keys: string): readonly string[] {
  return keys === ' ' ? ['Space'] : keys.length === 1 ? [keys] : keys.split(/[+ ]/).map((key) => KEYCAPS[key] ?? key);
}
