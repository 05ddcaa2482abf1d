import type { OpenWindow, WindowsDriver } from '../drivers.ts';
import type { FoundationReader, FoundationValue } from './coreFoundation.ts';
import type { MacFrameworks } from './frameworks.ts';

/** kCGWindowListOptionOnScreenOnly and kCGWindowListExcludeDesktopElements: from front to back. */
const LIST_OPTIONS = 1 | 16;
const NO_WINDOW = 0;
const NORMAL_LAYER = 0;
const PROCESS_NUMBER_BYTES = 8;

/** The real devices and events of programs. */
const COMBINED_SESSION_STATE = 0;
const ANY_INPUT = 0xffffffff;

/** Asking which application is in front costs a hundredth of listing the windows. */
const FRONT_INTERVAL_MS = 80;
const LIST_INTERVAL_MS = 1000;
const UNNAMED_APPLICATION = 'Unnamed';

interface MacWindow extends OpenWindow {
  readonly pid: number;
}

type WindowValues = Readonly<Record<'number' | 'pid' | 'layer' | 'alpha' | 'owner', FoundationValue>>;

/** Converts the description of a window. Undefined for menus, panels, the Dock and windows that can't be seen. */
export function toMacWindow(
  { number, pid, layer, alpha, owner }: WindowValues,
  getProgramName: (pid: number) => string,
): MacWindow | undefined {
  if (typeof number !== 'number' || typeof pid !== 'number') return undefined;
  if (layer !== NORMAL_LAYER || alpha === 0) return undefined;
  const name = typeof owner === 'string' ? owner : '';
  return { id: number, pid, application: name || getProgramName(pid) || UNNAMED_APPLICATION };
}

export interface MacWindows extends WindowsDriver, Disposable {
  /** Returns the process of the front application; undefined if it is unknown. */
  readonly getFrontPid: () => number | undefined;
}

export interface MacWindowsOptions {
  readonly frameworks: Pick<MacFrameworks, 'graphics' | 'optional' | 'windowKeys' | 'windowTitleKey'>;
  readonly reader: FoundationReader;
  readonly getProgramName: (pid: number) => string;
  readonly frontIntervalMs?: number | undefined;
  readonly listIntervalMs?: number | undefined;
}

/** Follows the windows on the screen by asking for them: notifications would need a run loop of Cocoa. */
export function openMacWindows(options: MacWindowsOptions): MacWindows {
  const { reader, getProgramName, frontIntervalMs = FRONT_INTERVAL_MS, listIntervalMs = LIST_INTERVAL_MS } = options;
  const { graphics, optional, windowKeys, windowTitleKey } = options.frameworks;
  const listeners: (() => void)[] = [];
  let windows: readonly MacWindow[] = [];
  let frontPid: number | undefined;
  let listedAt = 0;

  /** Lists all windows on the screen with the values of these keys. */
  function readWindows<Key extends string>(keys: Readonly<Record<Key, bigint>>) {
    const array = graphics.CGWindowListCopyWindowInfo(LIST_OPTIONS, NO_WINDOW);
    if (array === 0n) return [];
    try {
      return reader.readDictionaries(array, keys);
    } finally {
      reader.release(array);
    }
  }
  const list = (): readonly MacWindow[] =>
    readWindows(windowKeys)
      .map((values) => toMacWindow(values, getProgramName))
      .filter((window) => window !== undefined);
  /** Returns '' without permission to record the screen. */
  function readTitle(id: number): string {
    const title = readWindows({ number: windowKeys.number, title: windowTitleKey }).find(
      ({ number }) => number === id,
    )?.title;
    return typeof title === 'string' ? title : '';
  }
  const processNumber = Buffer.alloc(PROCESS_NUMBER_BYTES);
  const pid = Buffer.alloc(4);
  function readFrontPid(): number | undefined {
    if (!optional) return list()[0]?.pid;
    const isKnown = optional.GetFrontProcess(processNumber) === 0 && optional.GetProcessPID(processNumber, pid) === 0;
    return isKnown ? pid.readInt32LE() : undefined;
  }
  const getActive = (): MacWindow | undefined => windows.find((window) => window.pid === frontPid);
  const describeState = (): string => JSON.stringify([getActive()?.id, windows.map(({ id }) => id)]);
  function read(): void {
    const nextFrontPid = readFrontPid();
    const now = performance.now();
    if (nextFrontPid === frontPid && now - listedAt < listIntervalMs) return;
    const before = describeState();
    frontPid = nextFrontPid;
    windows = list();
    listedAt = now;
    if (describeState() === before) return;
    for (const listener of listeners) listener();
  }
  read();
  // Without the cheap question, the windows are listed each time.
  const timer = setInterval(read, optional ? frontIntervalMs : listIntervalMs);
  return {
    ability: { able: true },
    getActive,
    getFrontPid: readFrontPid,
    listOpen: () => windows,
    onChange: (listener) => void listeners.push(listener),
    // Read each time: a browser changes its title with every page.
    getTitle: async (id) => readTitle(id),
    getIdleMs: async () => 1000 * graphics.CGEventSourceSecondsSinceLastEventType(COMBINED_SESSION_STATE, ANY_INPUT),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
