import x11, { type XScreenSaver } from 'x11';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Ability, OpenWindow, WindowsDriver } from '../drivers.ts';
import { getProgramName } from '../processes.ts';
import { DisplayLostError, openDisplay, type Display } from './display.ts';

/** Atoms of the window manager's part (Extended Window Manager Hints), and two that are as old as X. */
const names = [
  '_NET_SUPPORTING_WM_CHECK',
  '_NET_ACTIVE_WINDOW',
  '_NET_CLIENT_LIST',
  '_NET_WM_PID',
  '_NET_WM_NAME',
  '_NET_WM_WINDOW_TYPE',
  '_NET_WM_WINDOW_TYPE_DESKTOP',
  '_NET_WM_WINDOW_TYPE_DOCK',
  'WM_CLASS',
  'WM_NAME',
] as const;
type Atoms = Readonly<Record<(typeof names)[number], number>>;

const ANY_TYPE = 0;
/** Longs of a property that are read: more is no name, and no desktop has so many windows. */
const MAX_PROPERTY_LONGS = 8192;
const UNNAMED = 'Unnamed';
const NO_MANAGER = 'The window manager of that computer does not say which window is in use';
const NO_IDLE = 'The display of that computer does not say how long nobody was there (it lacks MIT-SCREEN-SAVER)';

/** Windows of one X display, and how long nobody has touched it. */
export interface XWindows extends WindowsDriver, AsyncDisposable {}

/** Programs write Latin-1 here, as they should, and UTF-8, as they do. */
const textOf = (data: Buffer): string => {
  try {
    return new TextDecoder('utf8', { fatal: true }).decode(data);
  } catch {
    return data.toString('latin1');
  }
};

/** `instance\0Class\0`: the class, else the instance. */
export function parseWindowClass(data: Buffer): string {
  const [instance = '', name = ''] = textOf(data).split('\0');
  return (name.trim() || instance).trim();
}

const numbersIn = (data: Buffer): readonly number[] =>
  Array.from({ length: Math.floor(data.length / 4) }, (_, at) => data.readUInt32LE(at * 4));

/** What is asked of a window that is gone is `otherwise`. */
const orIfGone = async <T>(asked: Promise<T>, otherwise: T): Promise<T> => {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof DisplayLostError) throw error;
    return otherwise;
  }
};

/** What is asked of windows. Any of them may go away meanwhile. */
const createWindowQueries = ({ x, request }: Display, atoms: Atoms) => {
  const property = async (window: number, atom: number): Promise<Buffer> => {
    const { data } = await request<{ readonly data: Buffer }>((done) =>
      x.GetProperty(0, window, atom, ANY_TYPE, 0, MAX_PROPERTY_LONGS, done),
    );
    return data;
  };
  const numbers = async (window: number, atom: number): Promise<readonly number[]> =>
    numbersIn(await property(window, atom));
  const describe = async (id: number): Promise<OpenWindow | undefined> => {
    const [written, [pid], types] = await Promise.all([
      property(id, atoms.WM_CLASS),
      numbers(id, atoms._NET_WM_PID),
      numbers(id, atoms._NET_WM_WINDOW_TYPE),
    ]);
    if (types.some((type) => type === atoms._NET_WM_WINDOW_TYPE_DESKTOP || type === atoms._NET_WM_WINDOW_TYPE_DOCK))
      return undefined;
    return { id, application: parseWindowClass(written) || getProgramName(pid) || UNNAMED, pid };
  };
  const read = async (id: number): Promise<string> => {
    const [modern, old] = await Promise.all([property(id, atoms._NET_WM_NAME), property(id, atoms.WM_NAME)]);
    return textOf(modern) || textOf(old);
  };
  return {
    numbers,
    /** Undefined where it is a panel, the desktop itself, or gone. */
    describe: (id: number) => orIfGone(describe(id), undefined),
    titleOf: (id: number) => orIfGone(read(id), ''),
  };
};

const requireScreenSaver = ({ x }: Display): Promise<XScreenSaver | undefined> =>
  new Promise((resolve) => {
    x.require('screen-saver', (error, extension) => resolve(error ? undefined : extension));
  });

/** Hears of changes, and asks for what has changed. @throws DisplayGone where there is no such display. */
export async function openXWindows(name: string): Promise<XWindows> {
  const display = await openDisplay(name);
  const { x, root, request } = display;
  const pairs = names.map(
    async (atom) => [atom, await request<number>((done) => x.InternAtom(false, atom, done))] as const,
  );
  const atoms = Object.fromEntries(await Promise.all(pairs)) as Atoms;
  const saver = await requireScreenSaver(display);
  const { numbers, describe, titleOf } = createWindowQueries(display, atoms);
  const listeners: (() => void)[] = [];
  let isManaged = false;
  let known = new Map<number, OpenWindow | undefined>();
  let active: OpenWindow | undefined;
  let isReading = false;
  let isStale = false;

  const look = async (): Promise<void> => {
    const [[manager], [focused = 0], ids] = await Promise.all([
      numbers(root, atoms._NET_SUPPORTING_WM_CHECK),
      numbers(root, atoms._NET_ACTIVE_WINDOW),
      numbers(root, atoms._NET_CLIENT_LIST),
    ]);
    // The one in use is asked each time: some programs call themselves by their name only after they have appeared. Where nothing is in use,
    // window managers name a window of their own, which is in no list.
    known = new Map(
      await Promise.all(
        ids.map(async (id) => [id, id !== focused && known.has(id) ? known.get(id) : await describe(id)] as const),
      ),
    );
    active = known.get(focused);
    isManaged = manager !== undefined;
    for (const then of listeners) then();
  };
  const read = async (): Promise<void> => {
    if (isReading) {
      isStale = true;
      return;
    }
    isReading = true;
    try {
      do {
        isStale = false;
        await look();
      } while (isStale);
    } catch (error) {
      if (!(error instanceof DisplayLostError)) throw error; // whoever opened it hears of that by itself
    } finally {
      isReading = false;
    }
  };
  const told = new Set([atoms._NET_SUPPORTING_WM_CHECK, atoms._NET_ACTIVE_WINDOW, atoms._NET_CLIENT_LIST]);
  display.onEvent(({ name: event, wid, atom }) => {
    if (event === 'PropertyNotify' && wid === root && told.has(atom)) void read();
  });
  x.ChangeWindowAttributes(root, { eventMask: x11.eventMask.PropertyChange });
  await read();

  const ability = (): Ability => {
    if (!saver) return { able: false, reason: NO_IDLE };
    return isManaged ? { able: true } : { able: false, reason: NO_MANAGER };
  };
  return {
    get ability() {
      return ability();
    },
    getActive: () => active,
    listOpen: () => [...known.values()].filter((one) => one !== undefined),
    onChange: (then) => void listeners.push(then),
    getTitle: titleOf,
    getIdleMs: async () => {
      if (!saver) throw new Refusal(NO_IDLE);
      const { idle } = await request<{ readonly idle: number }>((done) => saver.QueryInfo(root, done));
      return idle;
    },
    [Symbol.asyncDispose]: () => display[Symbol.asyncDispose](),
  };
}
