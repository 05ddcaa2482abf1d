import { useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { browserStorage } from '../browser/browserStorage.ts';
import { isTextField, bufferTyping } from '../browser/typeAhead.ts';

/** Something a person can do from the keyboard. One declaration feeds palette, shortcut sheet and tooltips. */
export interface Command {
  readonly id: string;
  readonly name: string;
  /**
   * 'Mod+K' (Ctrl, on a Mac Cmd), 'Alt+K', a single letter '?', or one after another 'g d'; several where each does it. Without keys it is
   * in the palette only.
   */
  readonly keys?: string | readonly string[];
  /** Left out where the element in focus handles the keys itself: then they are only listed. */
  readonly run?: () => void;
  /** A field has the focus afterwards, maybe only once it is loaded: what is typed until then goes into it. */
  readonly opensField?: boolean;
  /** Out of the palette and without effect while false, yet listed: for what has the focus now. What a page cannot do at all is not offered. */
  readonly when?: () => boolean;
  /** Heading in palette and sheet; 'This page' where left out. */
  readonly group?: 'This page' | 'Go to' | 'Everywhere';
}

/** Switch-off of single letters (WCAG 2.1.4): 'off' or not set. */
export const SINGLE_LETTERS_KEY = 'singleletters';
const SEQUENCE_TIMEOUT_MS = 1500;

let all: readonly Command[] = [];
const listeners = new Set<() => void>();
const change = (next: readonly Command[]): void => {
  all = next;
  for (const tell of listeners) tell();
};

const commands = {
  all: (): readonly Command[] => all,
  subscribe: (tell: () => void): (() => void) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  },
};

export function useAllCommands(): readonly Command[] {
  return useSyncExternalStore(commands.subscribe, commands.all);
}

/** A command that can be run now. */
export type RunnableCommand = Command & { readonly run: () => void };
export function isRunnable(command: Command): command is RunnableCommand {
  return command.run !== undefined && command.when?.() !== false;
}
export function listKeys({ keys = [] }: Command): readonly string[] {
  return typeof keys === 'string' ? [keys] : keys;
}

/** Offers commands while the calling component stands. What they do and when may change with every drawing; all else is that of the first. */
export function useCommands(mine: readonly Command[]): void {
  const latest = useRef(mine);
  // All of it with the drawing itself: a key may come before what is left for afterwards, and would act on what stood there before.
  useLayoutEffect(() => {
    latest.current = mine;
  });
  // Without what they do: functions are left out.
  const offer = JSON.stringify(mine);
  useLayoutEffect(() => {
    const now = (id: string): Command | undefined => latest.current.find((command) => command.id === id);
    const offered = (JSON.parse(offer) as readonly Omit<Command, 'run' | 'when'>[]).map((command): Command => ({
      ...command,
      ...(now(command.id)?.run && { run: () => now(command.id)?.run?.() }),
      when: () => now(command.id)?.when?.() !== false,
    }));
    change([...all, ...offered]);
    return () => change(all.filter((command) => !offered.includes(command)));
  }, [offer]);
}

/** Whether a dialog stands over the page, whose keys are not meant then. */
export function isBehindDialog(): boolean {
  return document.querySelector('[role=dialog][aria-modal=true], dialog[open]') !== null;
}

/** 'Mod+K' for Ctrl-K; undefined for a plain character. */
const chordOf = (event: KeyboardEvent): string | undefined => {
  if (!event.ctrlKey && !event.metaKey && !event.altKey) return undefined;
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const mod = event.ctrlKey || event.metaKey ? 'Mod+' : '';
  return `${mod}${event.altKey ? 'Alt+' : ''}${event.shiftKey && event.key.length > 1 ? 'Shift+' : ''}${key}`;
};

let before = { keys: '', at: -Infinity };

const commandOf = (known: readonly RunnableCommand[], keys: string): RunnableCommand | undefined =>
  known.findLast((command) => listKeys(command).includes(keys));

/** The command that a plain key means, with the key before it where there was one just now. */
const plainCommand = (event: KeyboardEvent): RunnableCommand | undefined => {
  if (event.key.length !== 1 || browserStorage.get(SINGLE_LETTERS_KEY) === 'off') return undefined;
  const sequence = event.timeStamp - before.at < SEQUENCE_TIMEOUT_MS ? `${before.keys} ${event.key}` : event.key;
  const known = all.filter(isRunnable);
  const found = commandOf(known, sequence) ?? commandOf(known, event.key);
  const starts =
    found === undefined && known.some((command) => listKeys(command).some((keys) => keys.startsWith(`${event.key} `)));
  before = starts ? { keys: event.key, at: event.timeStamp } : { keys: '', at: -Infinity };
  return found;
};

/** Runs the command that a key means; the last offered one wins. Plain keys never fire inside a field or behind a dialog. */
export function onCommandKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.repeat || event.isComposing) return;
  const chord = chordOf(event);
  const isPlain = chord === undefined;
  if (isBehindDialog() || (isPlain && isTextField(event.target))) return;
  const command = isPlain ? plainCommand(event) : commandOf(all.filter(isRunnable), chord);
  if (!command) return;
  event.preventDefault();
  command.run();
  if (command.opensField === true && !isTextField(document.activeElement)) bufferTyping();
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

const KEYCAPS: Readonly<Record<string, string>> = {
  Mod: isMac ? 'Cmd' : 'Ctrl',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
};

/** Keys as a person reads them: ['Ctrl', 'K'], ['g', 'd'], ['Space'], ['+']. */
export function formatKeys(keys: string): readonly string[] {
  return keys === ' ' ? ['Space'] : keys.length === 1 ? [keys] : keys.split(/[+ ]/).map((key) => KEYCAPS[key] ?? key);
}
