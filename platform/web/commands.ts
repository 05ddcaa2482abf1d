import { useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { remember } from './remember.ts';
import { isField, typeAhead } from './typeAhead.ts';

/** Something a person can do from the keyboard. One declaration feeds palette, shortcut sheet and tooltips. */
export interface Command {
  readonly id: string;
  readonly name: string;
  /** 'Mod+K' (Ctrl, on a Mac Cmd), 'Alt+K', a single letter '?', or one after another 'g d'. Without keys it is in the palette only. */
  readonly keys?: string;
  readonly run: () => void;
  /** A field has the focus afterwards, maybe only once it is loaded: what is typed until then goes into it. */
  readonly opensField?: boolean;
  /** Left out of palette and keys while false. */
  readonly when?: () => boolean;
  /** Heading in palette and sheet; 'This page' where left out. */
  readonly group?: 'This page' | 'Go to' | 'Everywhere';
}

/** Switch-off of single letters (WCAG 2.1.4): 'off' or not set. */
export const SINGLE_LETTERS = 'singleletters';
const SEQUENCE_MS = 1500;

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

export const useAllCommands = (): readonly Command[] => useSyncExternalStore(commands.subscribe, commands.all);

const isUsable = (command: Command): boolean => command.when?.() !== false;

/** Offers commands while the calling component stands. What they do and when may change with every drawing; all else is that of the first. */
export const useCommands = (mine: readonly Command[]): void => {
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
      run: () => now(command.id)?.run(),
      when: () => now(command.id)?.when?.() !== false,
    }));
    change([...all, ...offered]);
    return () => change(all.filter((command) => !offered.includes(command)));
  }, [offer]);
};

/** Whether a dialog stands over the page, whose keys are not meant then. */
export const isBehindDialog = (): boolean =>
  document.querySelector('[role=dialog][aria-modal=true], dialog[open]') !== null;

/** 'Mod+K' for Ctrl-K; undefined for a plain character. */
const chordOf = (event: KeyboardEvent): string | undefined => {
  if (!event.ctrlKey && !event.metaKey && !event.altKey) return undefined;
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const mod = event.ctrlKey || event.metaKey ? 'Mod+' : '';
  return `${mod}${event.altKey ? 'Alt+' : ''}${event.shiftKey && event.key.length > 1 ? 'Shift+' : ''}${key}`;
};

let before = { keys: '', at: -Infinity };

/** The command that a plain key means, with the key before it where there was one just now. */
const plainCommand = (event: KeyboardEvent): Command | undefined => {
  if (event.key.length !== 1 || remember.get(SINGLE_LETTERS) === 'off') return undefined;
  const sequence = event.timeStamp - before.at < SEQUENCE_MS ? `${before.keys} ${event.key}` : event.key;
  const known = all.filter((command) => command.keys !== undefined && isUsable(command));
  const found =
    known.findLast((command) => command.keys === sequence) ?? known.findLast((command) => command.keys === event.key);
  const starts = found === undefined && known.some((command) => command.keys?.startsWith(`${event.key} `));
  before = starts ? { keys: event.key, at: event.timeStamp } : { keys: '', at: -Infinity };
  return found;
};

/** Runs the command that a key means; the last offered one wins. Plain keys never fire inside a field or behind a dialog. */
export const onCommandKey = (event: KeyboardEvent): void => {
  if (event.defaultPrevented || event.repeat || event.isComposing) return;
  const chord = chordOf(event);
  const isPlain = chord === undefined;
  if (isBehindDialog() || (isPlain && isField(event.target))) return;
  const command = isPlain ? plainCommand(event) : all.findLast((each) => each.keys === chord && isUsable(each));
  if (!command) return;
  event.preventDefault();
  command.run();
  if (command.opensField === true && !isField(document.activeElement)) typeAhead();
};

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** Keys as a person reads them: ['Ctrl', 'K'], ['g', 'd'], ['Space']. */
export const shownKeys = (keys: string): readonly string[] =>
  keys === ' ' ? ['Space'] : keys.split(/[+ ]/).map((key) => (key === 'Mod' ? (isMac ? 'Cmd' : 'Ctrl') : key));
