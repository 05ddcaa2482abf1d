import type { OpenWindow, WindowsDriver } from '../drivers.ts';
import type { FocusedWindow } from './keyboard.ts';
import { decodeWideText, encodeWideText, openKernel32, openUser32 } from './libraries.ts';
import type { Privileges } from './privileges.ts';
import { getProgramName } from './processTable.ts';

/** How often the window with the focus is read. */
const FOCUS_INTERVAL_MS = 50;
/** How often the list of windows is read, if somebody asks. */
const LIST_TTL_MS = 1000;
/** Ends a search that a window which closes at the same time would repeat. */
const MAX_WINDOWS = 5000;
const MAX_TITLE_CHARACTERS = 512;
const OWNER = 4;
const EXTENDED_STYLE = -20;
const TOOL_WINDOW = 0x80;
const APPLICATION_WINDOW = 0x40000;
const UNNAMED_APPLICATION = 'Unnamed';

/** Classes of the desktop itself and its panels. */
const SHELL_CLASSES: ReadonlySet<string> = new Set([
  'Progman',
  'WorkerW',
  'Shell_TrayWnd',
  'Shell_SecondaryTrayWnd',
  '#32769',
]);
/** This program owns the windows of apps from the store. The app is a child window of another process. */
const APP_FRAME_PROGRAM = 'ApplicationFrameHost';
const APP_WINDOW_CLASS = 'Windows.UI.Core.CoreWindow';

export interface WindowsOfWindows extends WindowsDriver, Disposable {
  /** Returns the window that gets the keys now; undefined if none does. */
  readonly getFocused: () => FocusedWindow | undefined;
}

interface KnownWindow extends OpenWindow {
  readonly handle: bigint;
}

/** Follows the windows of this computer. Windows has no events that reach a program without a library of its own. */
export function openWindowsOfWindows(privileges: Privileges): WindowsOfWindows {
  const user32 = openUser32().functions;
  const { GetTickCount } = openKernel32();
  const listeners: (() => void)[] = [];
  /** Names of programs by process, as long as one of its windows is open. */
  let programs = new Map<number, string>();
  let active: KnownWindow | undefined;
  let open: readonly KnownWindow[] = [];
  let listedAt = -Infinity;

  function getPid(handle: bigint): number {
    const pid = Buffer.alloc(4);
    user32.GetWindowThreadProcessId(handle, pid);
    return pid.readUInt32LE(0);
  }
  function getClass(handle: bigint): string {
    const buffer = Buffer.alloc(512);
    user32.GetClassNameW(handle, buffer, 256);
    return decodeWideText(buffer);
  }
  function findProgram(pid: number): string {
    const name = programs.get(pid) ?? getProgramName(pid);
    programs.set(pid, name);
    return name;
  }
  function describe(handle: bigint): KnownWindow {
    let pid = getPid(handle);
    if (findProgram(pid) === APP_FRAME_PROGRAM) {
      const app = user32.FindWindowExW(handle, 0n, encodeWideText(APP_WINDOW_CLASS), 0n);
      if (app !== 0n) pid = getPid(app);
    }
    // Windows guarantees that handles fit into 32 bits.
    return { handle, id: Number(handle), pid, application: findProgram(pid) || UNNAMED_APPLICATION };
  }
  function isApplicationWindow(handle: bigint): boolean {
    if (user32.IsWindowVisible(handle) === 0 || SHELL_CLASSES.has(getClass(handle))) return false;
    const style = user32.GetWindowLongW(handle, EXTENDED_STYLE);
    if ((style & APPLICATION_WINDOW) !== 0) return true;
    return (style & TOOL_WINDOW) === 0 && user32.GetWindow(handle, OWNER) === 0n && readTitle(handle) !== '';
  }
  function readTitle(handle: bigint): string {
    const buffer = Buffer.alloc(2 * MAX_TITLE_CHARACTERS);
    user32.GetWindowTextW(handle, buffer, MAX_TITLE_CHARACTERS);
    return decodeWideText(buffer);
  }
  /** Lists all windows without a parent, also invisible ones. */
  function listHandles(): readonly bigint[] {
    const handles: bigint[] = [];
    let handle = user32.FindWindowExW(0n, 0n, 0n, 0n);
    while (handle !== 0n && handles.length < MAX_WINDOWS) {
      handles.push(handle);
      handle = user32.FindWindowExW(0n, handle, 0n, 0n);
    }
    return handles;
  }
  function listOpen(): readonly KnownWindow[] {
    if (performance.now() - listedAt < LIST_TTL_MS) return open;
    open = listHandles().filter(isApplicationWindow).map(describe);
    listedAt = performance.now();
    const pids = new Set(open.map(({ pid }) => pid));
    programs = new Map([...programs].filter(([pid]) => pids.has(pid)));
    return open;
  }
  function readActive(): KnownWindow | undefined {
    const handle = user32.GetForegroundWindow();
    if (handle === 0n) return undefined;
    if (handle === active?.handle) return active;
    return SHELL_CLASSES.has(getClass(handle)) ? undefined : describe(handle);
  }
  function follow(): void {
    const next = readActive();
    if (next?.handle === active?.handle) return;
    active = next;
    listedAt = -Infinity;
    for (const listener of listeners) listener();
  }
  active = readActive();
  const timer = setInterval(follow, FOCUS_INTERVAL_MS);

  return {
    ability: { able: true },
    getActive: () => active && { id: active.id, application: active.application, pid: active.pid },
    getFocused: () => {
      const focused = readActive();
      return focused && { id: focused.id, isProtected: privileges.isHigher(getPid(focused.handle)) };
    },
    listOpen: () => listOpen().map(({ id, application, pid }) => ({ id, application, pid })),
    onChange: (listener) => void listeners.push(listener),
    getTitle: async (id) => readTitle(BigInt(id)),
    getIdleMs: async () => {
      const info = Buffer.alloc(8);
      info.writeUInt32LE(info.length, 0);
      user32.GetLastInputInfo(info);
      // Both count milliseconds in 32 bits, and start again at 0 after 49 days.
      return (GetTickCount() - info.readUInt32LE(4)) >>> 0;
    },
    [Symbol.dispose]: () => {
      clearInterval(timer);
    },
  };
}
