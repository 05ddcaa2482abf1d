import x11 from 'x11';
import type { Display } from './display.ts';

const ANY_TYPE = 0;
/** In units of four bytes: a window manager names some hundred things that it supports. */
const MAX_PROPERTY_LONGS = 1024;
/** One each time: what waits for it goes with it. */
const never = (): Promise<void> => new Promise(() => undefined);

/** Asks the focused window's program, and the window manager, whether they have read what was sent to them. */
export interface ReadConfirmation {
  /** Settles once the program has answered, after all that was sent before; never where its window does not answer such questions. */
  readonly waitForProgram: () => Promise<void>;
  /** Settles once the window manager has read everything before; at once where there is none that answers. */
  readonly waitForWindowManager: () => Promise<void>;
}

const atomsOf = ({ data }: { readonly data: Buffer }): readonly number[] =>
  Array.from({ length: Math.floor(data.length / 4) }, (_, index) => data.readUInt32LE(index * 4));

/** By the window manager's way of asking whether a program is alive (`_NET_WM_PING`): events are read in order, so the answer comes after the keys. */
export function createReadConfirmation(display: Display): ReadConfirmation {
  const { x, root, request } = display;
  const waiting = new Map<number, () => void>();
  let turn = 0;

  const atom = (name: string): Promise<number> => request((done) => x.InternAtom(false, name, done));
  const property = (window: number, name: number): Promise<readonly number[]> =>
    request<{ readonly type: number; readonly data: Buffer }>((done) =>
      x.GetProperty(0, window, name, ANY_TYPE, 0, MAX_PROPERTY_LONGS, done),
    ).then(atomsOf);
  const open = async () => {
    const [active, protocols, ping] = await Promise.all([
      atom('_NET_ACTIVE_WINDOW'),
      atom('WM_PROTOCOLS'),
      atom('_NET_WM_PING'),
    ]);
    display.onEvent(({ name, data }) => {
      if (name !== 'ClientMessage' || data[0] !== ping) return;
      waiting.get(data[1] ?? 0)?.();
    });
    x.ChangeWindowAttributes(root, { eventMask: x11.eventMask.SubstructureNotify });
    return { active, protocols, ping };
  };
  let opened: ReturnType<typeof open> | undefined;

  const answered = async (): Promise<void> => {
    const { active, protocols, ping } = await (opened ??= open());
    const [window = 0] = await property(root, active);
    if (window === 0 || !(await property(window, protocols)).includes(ping)) return never();
    waiting.clear(); // who asked before has given up
    turn += 1;
    const own = turn;
    const answer = new Promise<void>((resolve) => waiting.set(own, resolve));
    await request<unknown>((done) => x.SendClientMessage(window, window, protocols, 32, [ping, own, window], 0, done));
    await answer.finally(() => waiting.delete(own));
  };

  /** Its answer to `_NET_REQUEST_FRAME_EXTENTS` is a property of our own window, which is never shown. */
  const openManager = async () => {
    const [supported, extentsRequest, extents] = await Promise.all([
      atom('_NET_SUPPORTED'),
      atom('_NET_REQUEST_FRAME_EXTENTS'),
      atom('_NET_FRAME_EXTENTS'),
    ]);
    const window = x.AllocID();
    x.CreateWindow(window, root, 0, 0, 1, 1, 0, 0, 0, 0, { eventMask: x11.eventMask.PropertyChange });
    const listeners = new Set<() => void>();
    display.onEvent(({ name, wid, atom: changed }) => {
      if (name === 'PropertyNotify' && wid === window && changed === extents) for (const then of listeners) then();
    });
    return { supported, extentsRequest, window, listeners };
  };
  let manager: ReturnType<typeof openManager> | undefined;
  const managerAnswered = async (): Promise<void> => {
    const { supported, extentsRequest, window, listeners } = await (manager ??= openManager());
    if (!(await property(root, supported)).includes(extentsRequest)) return;
    const { SubstructureNotify, SubstructureRedirect } = x11.eventMask;
    const answer = Promise.withResolvers<void>();
    listeners.add(answer.resolve);
    x.SendClientMessage(root, window, extentsRequest, 32, [0], SubstructureNotify | SubstructureRedirect, () => true);
    await answer.promise.finally(() => listeners.delete(answer.resolve));
  };

  // A window that went away meanwhile answers with an error: then it is as one that never answers.
  return {
    waitForProgram: () => answered().catch(never),
    waitForWindowManager: () => managerAnswered().catch(() => undefined),
  };
}
