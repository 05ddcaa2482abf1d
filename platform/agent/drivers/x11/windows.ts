import x11, { type XScreenSaver } from 'x11';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Ability, OpenWindow, WindowsDriver } from '../drivers.ts';
import { getProgramName } from '../processes.ts';
import { DisplayLostError, internAtoms, openDisplay, parseCardinals, type Display } from './display.ts';

/** Atoms of the Extended Window Manager Hints, and two from the original X11 conventions. */
const ATOM_NAMES = [
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
type Atoms = Readonly<Record<(typeof ATOM_NAMES)[number], number>>;

const ANY_TYPE = 0;
/** Longs that are read of a property: no name is longer, and no desktop has more windows. */
const MAX_PROPERTY_LONGS = 8192;
const UNNAMED_APPLICATION = 'Unnamed';
const NO_WINDOW_MANAGER_MESSAGE = "The window manager of that computer doesn't report the active window";
const NO_IDLE_TIME_MESSAGE =
  "The display of that computer doesn't report idle time (the MIT-SCREEN-SAVER extension is missing)";

/** The windows of one X display, and how long it has been idle. */
export interface XWindows extends WindowsDriver, AsyncDisposable {}

/** Programs should write Latin-1 here, but often write UTF-8. */
function decodeText(data: Buffer): string {
  try {
    return new TextDecoder('utf8', { fatal: true }).decode(data);
  } catch {
    return data.toString('latin1');
  }
}

/** Parses `instance\0Class\0`; returns the class, or else the instance. */
export function parseWindowClass(data: Buffer): string {
  const [instance = '', name = ''] = decodeText(data).split('\0');
  return (name.trim() || instance).trim();
}

/** Returns the result of a query, or the fallback if the window is gone. */
async function queryWithFallback<T>(query: Promise<T>, fallback: T): Promise<T> {
  try {
    return await query;
  } catch (error) {
    if (error instanceof DisplayLostError) throw error;
    return fallback;
  }
}

/** Creates the queries about windows. Any window may be closed in the meantime. */
function createWindowQueries({ x, request }: Display, atoms: Atoms) {
  async function readProperty(window: number, atom: number): Promise<Buffer> {
    const { data } = await request<{ readonly data: Buffer }>((done) =>
      x.GetProperty(0, window, atom, ANY_TYPE, 0, MAX_PROPERTY_LONGS, done),
    );
    return data;
  }
  const readNumbers = async (window: number, atom: number): Promise<readonly number[]> =>
    parseCardinals(await readProperty(window, atom));
  async function describe(id: number): Promise<OpenWindow | undefined> {
    const [windowClass, [pid], types] = await Promise.all([
      readProperty(id, atoms.WM_CLASS),
      readNumbers(id, atoms._NET_WM_PID),
      readNumbers(id, atoms._NET_WM_WINDOW_TYPE),
    ]);
    if (types.some((type) => type === atoms._NET_WM_WINDOW_TYPE_DESKTOP || type === atoms._NET_WM_WINDOW_TYPE_DOCK))
      return undefined;
    return { id, application: parseWindowClass(windowClass) || getProgramName(pid) || UNNAMED_APPLICATION, pid };
  }
  async function readTitle(id: number): Promise<string> {
    const [modern, old] = await Promise.all([readProperty(id, atoms._NET_WM_NAME), readProperty(id, atoms.WM_NAME)]);
    return decodeText(modern) || decodeText(old);
  }
  return {
    readNumbers,
    /** Returns undefined for a panel, the desktop itself or a closed window. */
    describe: (id: number) => queryWithFallback(describe(id), undefined),
    getTitle: (id: number) => queryWithFallback(readTitle(id), ''),
  };
}

const requireScreenSaver = ({ x }: Display): Promise<XScreenSaver | undefined> =>
  new Promise((resolve) => {
    x.require('screen-saver', (error, extension) => resolve(error ? undefined : extension));
  });

/**
 * Opens the windows of a display and follows their changes.
 * @throws DisplayLostError if there is no such display.
 */
export async function openXWindows(name: string): Promise<XWindows> {
  const display = await openDisplay(name);
  const { x, root, request } = display;
  const atoms = await internAtoms(display, ATOM_NAMES);
  const saver = await requireScreenSaver(display);
  const { readNumbers, describe, getTitle } = createWindowQueries(display, atoms);
  const listeners: (() => void)[] = [];
  let isManaged = false;
  let windowById = new Map<number, OpenWindow | undefined>();
  let active: OpenWindow | undefined;
  let isReading = false;
  let isStale = false;

  async function readState(): Promise<void> {
    const [[manager], [focused = 0], ids] = await Promise.all([
      readNumbers(root, atoms._NET_SUPPORTING_WM_CHECK),
      readNumbers(root, atoms._NET_ACTIVE_WINDOW),
      readNumbers(root, atoms._NET_CLIENT_LIST),
    ]);
    // The active window is read each time, as some programs set their class after they have appeared. If nothing is
    // active, window managers name a window of their own, which is in no list.
    windowById = new Map(
      await Promise.all(
        ids.map(
          async (id) => [id, id !== focused && windowById.has(id) ? windowById.get(id) : await describe(id)] as const,
        ),
      ),
    );
    active = windowById.get(focused);
    isManaged = manager !== undefined;
    for (const listener of listeners) listener();
  }
  async function read(): Promise<void> {
    if (isReading) {
      isStale = true;
      return;
    }
    isReading = true;
    try {
      do {
        isStale = false;
        await readState();
      } while (isStale);
    } catch (error) {
      if (!(error instanceof DisplayLostError)) throw error; // the opener of the display handles its loss
    } finally {
      isReading = false;
    }
  }
  const observedAtoms = new Set([atoms._NET_SUPPORTING_WM_CHECK, atoms._NET_ACTIVE_WINDOW, atoms._NET_CLIENT_LIST]);
  display.onEvent(({ name: event, wid, atom }) => {
    if (event === 'PropertyNotify' && wid === root && observedAtoms.has(atom)) void read();
  });
  x.ChangeWindowAttributes(root, { eventMask: x11.eventMask.PropertyChange });
  await read();

  return {
    get ability(): Ability {
      if (!saver) return { able: false, reason: NO_IDLE_TIME_MESSAGE };
      return isManaged ? { able: true } : { able: false, reason: NO_WINDOW_MANAGER_MESSAGE };
    },
    getActive: () => active,
    listOpen: () => [...windowById.values()].filter((window) => window !== undefined),
    onChange: (listener) => void listeners.push(listener),
    getTitle,
    getIdleMs: async () => {
      if (!saver) throw new Refusal('windows.no_idle_time', NO_IDLE_TIME_MESSAGE);
      const { idle } = await request<{ readonly idle: number }>((done) => saver.QueryInfo(root, done));
      return idle;
    },
    [Symbol.asyncDispose]: () => display[Symbol.asyncDispose](),
  };
}
