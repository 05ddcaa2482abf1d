import type { OpenWindow, WindowsDriver } from '../drivers.ts';
import { getFfi } from '../native/ffi.ts';
import type { FocusedWindow } from './keyboard.ts';
import { decodeWideText, encodeWideText, openKernel32, openUser32 } from './libraries.ts';
import type { Privileges } from './privileges.ts';
import { getProgramName } from './processTable.ts';
import { quitAtExit, quitThread, startThread } from './threads.ts';

/** How often the window with the focus is read if Windows doesn't report changes. */
const FOCUS_INTERVAL_MS = 80;
/** How often it is read otherwise. Some changes are not reported, such as to no window at all. */
const REPORTED_FOCUS_INTERVAL_MS = 500;
/** How long after a report it is read again: the report may come before the change. */
const REPORT_DELAY_MS = 40;
/** How often the list of windows is read, if somebody asks. */
const LIST_TTL_MS = 1000;
const MAX_TITLE_CHARACTERS = 512;
const OWNER = 4;
/** The event of another window in front. */
const FOREGROUND_EVENT = 3;
/** Returned to Windows to get the next window. */
const CONTINUE = 1;
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
const APP_FRAME_CLASS = 'ApplicationFrameWindow';
const APP_WINDOW_CLASS = 'Windows.UI.Core.CoreWindow';
/** Attribute that says how Windows hides a window although it counts as visible. */
const CLOAK_ATTRIBUTE = 14;
const CLOAKED_BY_PROGRAM = 1;

export interface WindowsOfWindows extends WindowsDriver, Disposable {
  /** Returns the window that gets the keys now; undefined if none does. */
  readonly getFocused: () => FocusedWindow | undefined;
}

/** Converts a handle. Windows guarantees that 32 bits of it are enough, with the sign of the last one. */
export function toWindowId(handle: bigint): number {
  return Number(BigInt.asUintN(32, handle));
}

/** Reverses `toWindowId`. */
export function toWindowHandle(id: number): bigint {
  return BigInt.asUintN(64, BigInt.asIntN(32, BigInt(id)));
}

/**
 * Returns whether people can see a visible window, now or on another of their desktops. Store apps that have ended
 * leave a frame, which is cloaked like a window on another desktop. Their own windows are in the frames.
 */
export function isShown(className: string, cloak: number): boolean {
  if (className === APP_WINDOW_CLASS) return false;
  return className === APP_FRAME_CLASS ? cloak === 0 : (cloak & CLOAKED_BY_PROGRAM) === 0;
}

/**
 * Waits for changes of the focus. It runs in a thread of its own, because Windows reports them only to threads that
 * wait for messages. Posts its number for Windows, and then undefined for each change.
 */
const FOCUS_THREAD = `
const { parentPort } = require('node:worker_threads');
const { dlopen } = require('node:ffi');
const { lib, functions } = dlopen('user32.dll', {
  SetWinEventHook: {
    arguments: ['uint32', 'uint32', 'pointer', 'pointer', 'uint32', 'uint32', 'uint32'],
    return: 'pointer',
  },
  GetMessageW: { arguments: ['buffer', 'pointer', 'uint32', 'uint32'], return: 'int32' },
});
const { GetCurrentThreadId } = dlopen('kernel32.dll', {
  GetCurrentThreadId: { arguments: [], return: 'uint32' },
}).functions;
const report = lib.registerCallback(
  { arguments: ['pointer', 'uint32', 'pointer', 'int32', 'int32', 'uint32', 'uint32'], return: 'void' },
  () => parentPort.postMessage(undefined),
);
if (functions.SetWinEventHook(${FOREGROUND_EVENT}, ${FOREGROUND_EVENT}, 0n, report, 0, 0, 0) !== 0n) {
  parentPort.postMessage(GetCurrentThreadId());
  const message = Buffer.alloc(48);
  while (functions.GetMessageW(message, 0n, 0, 0) > 0);
}
`;

interface KnownWindow extends OpenWindow {
  readonly handle: bigint;
}

let listed: bigint[] = [];
/** Called by Windows with each window. Never freed, because there is one for the whole process. */
let addListed: bigint | undefined;

/** Lists all windows without a parent, also invisible ones. */
function listHandles(): readonly bigint[] {
  const { lib, functions } = openUser32();
  addListed ??= lib.registerCallback({ arguments: ['pointer', 'int64'], return: 'int32' }, (handle) => {
    listed.push(handle as bigint);
    return CONTINUE;
  });
  listed = [];
  functions.EnumWindows(addListed, 0n);
  return listed;
}

/**
 * Calls `onChange` for each change of the focus that Windows reports, and `onReady` when it begins or ceases to report.
 * @returns what ends it.
 */
function watchFocus(onChange: () => void, onReady: (isReady: boolean) => void): () => void {
  const worker = startThread(FOCUS_THREAD);
  let quit: (() => void) | undefined;
  let isStopped = false;
  worker.on('message', (threadId: number | undefined) => {
    if (threadId === undefined) onChange();
    else {
      quit = () => quitThread(threadId);
      quitAtExit(worker, threadId);
      if (isStopped) quit();
      else onReady(true);
    }
  });
  // Without the thread, the focus is read often enough.
  worker.once('error', () => undefined);
  worker.once('exit', () => {
    if (!isStopped) onReady(false);
  });
  worker.unref();
  return () => {
    isStopped = true;
    quit?.();
  };
}

/** Follows the windows by asking for them, and the one in front also by reports of Windows. */
export function openWindowsOfWindows(privileges: Privileges): WindowsOfWindows {
  const user32 = openUser32().functions;
  const { GetTickCount } = openKernel32();
  const { DwmGetWindowAttribute } = getFfi().dlopen('dwmapi.dll', {
    DwmGetWindowAttribute: { arguments: ['pointer', 'uint32', 'buffer', 'uint32'], return: 'int32' },
  }).functions;
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
  /** Returns how the window is cloaked; 0 if it isn't, or this Windows doesn't say. */
  function readCloak(handle: bigint): number {
    const cloak = Buffer.alloc(4);
    return DwmGetWindowAttribute(handle, CLOAK_ATTRIBUTE, cloak, cloak.length) === 0 ? cloak.readUInt32LE(0) : 0;
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
    return { handle, id: toWindowId(handle), pid, application: findProgram(pid) || UNNAMED_APPLICATION };
  }
  function isApplicationWindow(handle: bigint): boolean {
    if (user32.IsWindowVisible(handle) === 0) return false;
    const className = getClass(handle);
    if (SHELL_CLASSES.has(className) || !isShown(className, readCloak(handle))) return false;
    const style = user32.GetWindowLongW(handle, EXTENDED_STYLE);
    if ((style & APPLICATION_WINDOW) !== 0) return true;
    return (style & TOOL_WINDOW) === 0 && user32.GetWindow(handle, OWNER) === 0n && readTitle(handle) !== '';
  }
  function readTitle(handle: bigint): string {
    const buffer = Buffer.alloc(2 * MAX_TITLE_CHARACTERS);
    user32.GetWindowTextW(handle, buffer, MAX_TITLE_CHARACTERS);
    return decodeWideText(buffer);
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
    // The window of a store app appears before the app.
    if (handle === active?.handle && active.application !== APP_FRAME_PROGRAM) return active;
    return SHELL_CLASSES.has(getClass(handle)) ? undefined : describe(handle);
  }
  function follow(): void {
    const next = readActive();
    if (next?.handle === active?.handle && next?.application === active?.application) return;
    active = next;
    listedAt = -Infinity;
    for (const listener of listeners) listener();
  }
  active = readActive();
  let timer = setInterval(follow, FOCUS_INTERVAL_MS);
  let rereadTimer: NodeJS.Timeout | undefined;
  const stopWatching = watchFocus(
    () => {
      follow();
      clearTimeout(rereadTimer);
      rereadTimer = setTimeout(follow, REPORT_DELAY_MS);
    },
    (isReady) => {
      clearInterval(timer);
      timer = setInterval(follow, isReady ? REPORTED_FOCUS_INTERVAL_MS : FOCUS_INTERVAL_MS);
    },
  );

  return {
    ability: { able: true },
    getActive: () => active && { id: active.id, application: active.application, pid: active.pid },
    getFocused: () => {
      const focused = readActive();
      return focused && { id: focused.id, isProtected: privileges.isHigher(getPid(focused.handle)) };
    },
    listOpen: () => listOpen().map(({ id, application, pid }) => ({ id, application, pid })),
    onChange: (listener) => void listeners.push(listener),
    getTitle: async (id) => readTitle(toWindowHandle(id)),
    getIdleMs: async () => {
      const info = Buffer.alloc(8);
      info.writeUInt32LE(info.length, 0);
      user32.GetLastInputInfo(info);
      // Both count milliseconds in 32 bits, and start again at 0 after 49 days.
      return (GetTickCount() - info.readUInt32LE(4)) >>> 0;
    },
    [Symbol.dispose]: () => {
      stopWatching();
      clearInterval(timer);
      clearTimeout(rereadTimer);
    },
  };
}
