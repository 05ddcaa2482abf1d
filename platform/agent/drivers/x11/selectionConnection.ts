import x11, { type XEvent } from 'x11';
import { DisplayLostError, internAtoms, openDisplay, type Display } from './display.ts';

/** Atoms for selections (ICCCM section 2). */
const ATOM_NAMES = [
  'CLIPBOARD',
  'TARGETS',
  'MULTIPLE',
  'ATOM_PAIR',
  'TIMESTAMP',
  'INCR',
  'ATOM',
  'INTEGER',
  'STRING',
  'TEXT',
  'UTF8_STRING',
  'text/plain;charset=utf-8',
  'PEGBOARD_CLIPBOARD',
] as const;
export type SelectionAtoms = Readonly<Record<(typeof ATOM_NAMES)[number], number>>;

/** Collects matching events in the order of their arrival. */
export interface EventInbox extends Disposable {
  /**
   * Returns the next event.
   * @throws DisplayLostError, or the error that `createTimeoutError` returns.
   */
  readonly next: (timeoutMs: number, createTimeoutError: () => Error) => Promise<XEvent>;
}

/**
 * A connection to a display only for selections.
 * Errors about closed windows can't affect the keyboard's connection.
 */
export interface SelectionConnection extends AsyncDisposable {
  readonly display: Display;
  readonly atoms: SelectionAtoms;
  /** Creates a window that is never shown and that receives events about its properties. */
  readonly addWindow: () => number;
  readonly onEvent: (listener: (event: XEvent) => void) => void;
  readonly openInbox: (isMatch: (event: XEvent) => boolean) => EventInbox;
}

const INPUT_ONLY = 2;

/**
 * Opens a connection.
 * @throws DisplayLostError if there is no such display.
 */
export async function openSelectionConnection(name: string): Promise<SelectionConnection> {
  const display = await openDisplay(name);
  const { x, root } = display;
  const atoms = await internAtoms(display, ATOM_NAMES);
  const listeners = new Set<(event: XEvent) => void>();
  const closeListeners = new Set<() => void>();
  display.onEvent((event) => {
    for (const listener of listeners) listener(event);
  });
  display.onClosed(() => {
    for (const listener of closeListeners) listener();
  });

  return {
    display,
    atoms,
    addWindow: () => {
      const window = x.AllocID();
      x.CreateWindow(window, root, 0, 0, 1, 1, 0, 0, INPUT_ONLY, 0, { eventMask: x11.eventMask.PropertyChange });
      return window;
    },
    onEvent: (listener) => void listeners.add(listener),
    openInbox: (isMatch) => {
      const events: XEvent[] = [];
      let wake: (() => void) | undefined;
      let isDisplayLost = false;
      function addEvent(event: XEvent): void {
        if (!isMatch(event)) return;
        events.push(event);
        wake?.();
      }
      function handleDisplayLoss(): void {
        isDisplayLost = true;
        wake?.();
      }
      listeners.add(addEvent);
      closeListeners.add(handleDisplayLoss);
      return {
        next: (timeoutMs, createTimeoutError) =>
          new Promise((resolve, reject) => {
            const timeout = setTimeout(() => {
              wake = undefined;
              reject(createTimeoutError());
            }, timeoutMs);
            wake = () => {
              const event = events.shift();
              if (event === undefined && !isDisplayLost) return;
              clearTimeout(timeout);
              wake = undefined;
              if (event) resolve(event);
              else reject(new DisplayLostError(`The agent lost the display ${name}`));
            };
            wake();
          }),
        [Symbol.dispose]: () => {
          listeners.delete(addEvent);
          closeListeners.delete(handleDisplayLoss);
        },
      };
    },
    [Symbol.asyncDispose]: () => display[Symbol.asyncDispose](),
  };
}
