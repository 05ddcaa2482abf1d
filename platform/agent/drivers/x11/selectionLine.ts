import type { XEvent } from 'x11';
import x11 from 'x11';
import { DisplayLostError, openDisplay, type Display } from './display.ts';

/** Atoms that speak of selections (ICCCM section 2). */
const names = [
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
export type SelectionAtoms = Readonly<Record<(typeof names)[number], number>>;

/** Events that are waited for, in the order of their coming. */
export interface EventInbox extends Disposable {
  /** @throws DisplayGone; what `late` makes where none comes in time. */
  readonly next: (patienceMs: number, late: () => Error) => Promise<XEvent>;
}

/** A connection to a display for selections alone: errors about windows of programs that went away do not disturb the keyboard's. */
export interface SelectionConnection extends AsyncDisposable {
  readonly display: Display;
  readonly atoms: SelectionAtoms;
  /** A window that is never seen, which hears of its properties. */
  readonly addWindow: () => number;
  readonly onEvent: (then: (event: XEvent) => void) => void;
  readonly openInbox: (takes: (event: XEvent) => boolean) => EventInbox;
}

const INPUT_ONLY = 2;

/** @throws DisplayGone where there is no such display. */
export async function openSelectionConnection(name: string): Promise<SelectionConnection> {
  const display = await openDisplay(name);
  const { x, root, request } = display;
  const pairs = names.map(
    async (atom) => [atom, await request<number>((done) => x.InternAtom(false, atom, done))] as const,
  );
  const atoms = Object.fromEntries(await Promise.all(pairs)) as SelectionAtoms;
  const listeners = new Set<(event: XEvent) => void>();
  const closers = new Set<() => void>();
  display.onEvent((event) => {
    for (const then of listeners) then(event);
  });
  display.onClosed(() => {
    for (const close of closers) close();
  });

  return {
    display,
    atoms,
    addWindow: () => {
      const window = x.AllocID();
      x.CreateWindow(window, root, 0, 0, 1, 1, 0, 0, INPUT_ONLY, 0, { eventMask: x11.eventMask.PropertyChange });
      return window;
    },
    onEvent: (then) => void listeners.add(then),
    openInbox: (takes) => {
      const kept: XEvent[] = [];
      let wake: (() => void) | undefined;
      let isGone = false;
      const put = (event: XEvent): void => {
        if (!takes(event)) return;
        kept.push(event);
        wake?.();
      };
      const close = (): void => {
        isGone = true;
        wake?.();
      };
      listeners.add(put);
      closers.add(close);
      return {
        next: (patienceMs, late) =>
          new Promise((resolve, reject) => {
            const patience = setTimeout(() => {
              wake = undefined;
              reject(late());
            }, patienceMs);
            wake = () => {
              const event = kept.shift();
              if (event === undefined && !isGone) return;
              clearTimeout(patience);
              wake = undefined;
              if (event) resolve(event);
              else reject(new DisplayLostError(`The display ${name} went away`));
            };
            wake();
          }),
        [Symbol.dispose]: () => {
          listeners.delete(put);
          closers.delete(close);
        },
      };
    },
    [Symbol.asyncDispose]: () => display[Symbol.asyncDispose](),
  };
}
