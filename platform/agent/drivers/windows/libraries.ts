// The functions of Windows that drivers call. Libraries are opened when they are needed, so other systems never do.
import { getFfi } from '../native/ffi.ts';

/** A text as Windows expects it: UTF-16 with a zero at the end. */
export function encodeWideText(text: string): Buffer {
  return Buffer.from(`${text}\0`, 'utf16le');
}

/** Decodes UTF-16 up to the first zero. */
export function decodeWideText(buffer: Buffer): string {
  const text = buffer.toString('utf16le');
  const end = text.indexOf('\0');
  return end === -1 ? text : text.slice(0, end);
}

/** Extended style, class and name; style; position and size; parent, menu, module and parameter. */
const CREATE_WINDOW_ARGUMENTS = [
  ...(['uint32', 'pointer', 'pointer', 'uint32'] as const),
  ...(['int32', 'int32', 'int32', 'int32'] as const),
  ...(['pointer', 'pointer', 'pointer', 'pointer'] as const),
] as const;

function loadUser32() {
  return getFfi().dlopen('user32.dll', {
    SendInput: { arguments: ['uint32', 'buffer', 'int32'], return: 'uint32' },
    GetAsyncKeyState: { arguments: ['int32'], return: 'int16' },
    MapVirtualKeyExW: { arguments: ['uint32', 'uint32', 'pointer'], return: 'uint32' },
    VkKeyScanExW: { arguments: ['uint16', 'pointer'], return: 'int16' },
    GetKeyboardLayout: { arguments: ['uint32'], return: 'pointer' },
    GetCursorPos: { arguments: ['buffer'], return: 'int32' },
    GetSystemMetrics: { arguments: ['int32'], return: 'int32' },
    // The point is a structure of two numbers, which is passed as one.
    MonitorFromPoint: { arguments: ['int64', 'uint32'], return: 'pointer' },
    GetMonitorInfoW: { arguments: ['pointer', 'buffer'], return: 'int32' },
    GetForegroundWindow: { arguments: [], return: 'pointer' },
    GetWindowThreadProcessId: { arguments: ['pointer', 'buffer'], return: 'uint32' },
    GetWindowTextW: { arguments: ['pointer', 'buffer', 'int32'], return: 'int32' },
    GetClassNameW: { arguments: ['pointer', 'buffer', 'int32'], return: 'int32' },
    GetWindow: { arguments: ['pointer', 'uint32'], return: 'pointer' },
    GetWindowLongW: { arguments: ['pointer', 'int32'], return: 'int32' },
    IsWindowVisible: { arguments: ['pointer'], return: 'int32' },
    EnumWindows: { arguments: ['pointer', 'int64'], return: 'int32' },
    FindWindowExW: { arguments: ['pointer', 'pointer', 'pointer', 'pointer'], return: 'pointer' },
    GetLastInputInfo: { arguments: ['buffer'], return: 'int32' },
    RegisterHotKey: { arguments: ['pointer', 'int32', 'uint32', 'uint32'], return: 'int32' },
    UnregisterHotKey: { arguments: ['pointer', 'int32'], return: 'int32' },
    PeekMessageW: { arguments: ['buffer', 'pointer', 'uint32', 'uint32', 'uint32'], return: 'int32' },
    OpenClipboard: { arguments: ['pointer'], return: 'int32' },
    CloseClipboard: { arguments: [], return: 'int32' },
    EmptyClipboard: { arguments: [], return: 'int32' },
    SetClipboardData: { arguments: ['uint32', 'pointer'], return: 'pointer' },
    CreateWindowExW: { arguments: CREATE_WINDOW_ARGUMENTS, return: 'pointer' },
    DestroyWindow: { arguments: ['pointer'], return: 'int32' },
    PostThreadMessageW: { arguments: ['uint32', 'uint32', 'uint64', 'int64'], return: 'int32' },
    PostMessageW: { arguments: ['pointer', 'uint32', 'uint64', 'int64'], return: 'int32' },
    SetDlgItemTextW: { arguments: ['pointer', 'int32', 'buffer'], return: 'int32' },
    LoadIconW: { arguments: ['pointer', 'pointer'], return: 'pointer' },
  });
}
let user32: ReturnType<typeof loadUser32> | undefined;

/**
 * Opens the library for windows, keyboard, mouse and clipboard.
 * @throws Refusal if this Node is too old.
 */
export function openUser32() {
  return (user32 ??= loadUser32());
}

function loadKernel32() {
  return getFfi().dlopen('kernel32.dll', {
    GetTickCount: { arguments: [], return: 'uint32' },
    GetLastError: { arguments: [], return: 'uint32' },
    GlobalAlloc: { arguments: ['uint32', 'uint64'], return: 'pointer' },
    GlobalFree: { arguments: ['pointer'], return: 'pointer' },
    GlobalLock: { arguments: ['pointer'], return: 'pointer' },
    GlobalUnlock: { arguments: ['pointer'], return: 'int32' },
    OpenProcess: { arguments: ['uint32', 'int32', 'uint32'], return: 'pointer' },
    GetCurrentProcess: { arguments: [], return: 'pointer' },
    CloseHandle: { arguments: ['pointer'], return: 'int32' },
    QueryFullProcessImageNameW: { arguments: ['pointer', 'uint32', 'buffer', 'buffer'], return: 'int32' },
    CreateToolhelp32Snapshot: { arguments: ['uint32', 'uint32'], return: 'pointer' },
    Process32FirstW: { arguments: ['pointer', 'buffer'], return: 'int32' },
    Process32NextW: { arguments: ['pointer', 'buffer'], return: 'int32' },
    CreateJobObjectW: { arguments: ['pointer', 'pointer'], return: 'pointer' },
    SetInformationJobObject: { arguments: ['pointer', 'int32', 'buffer', 'uint32'], return: 'int32' },
    AssignProcessToJobObject: { arguments: ['pointer', 'pointer'], return: 'int32' },
    TerminateJobObject: { arguments: ['pointer', 'uint32'], return: 'int32' },
  }).functions;
}
let kernel32: ReturnType<typeof loadKernel32> | undefined;

/**
 * Opens the library for memory and processes.
 * @throws Refusal if this Node is too old.
 */
export function openKernel32() {
  return (kernel32 ??= loadKernel32());
}

function loadAdvapi32() {
  return getFfi().dlopen('advapi32.dll', {
    OpenProcessToken: { arguments: ['pointer', 'uint32', 'buffer'], return: 'int32' },
    GetTokenInformation: { arguments: ['pointer', 'int32', 'pointer', 'uint32', 'buffer'], return: 'int32' },
    RegSetKeyValueW: {
      arguments: ['pointer', 'buffer', 'buffer', 'uint32', 'buffer', 'uint32'],
      return: 'int32',
    },
    RegGetValueW: {
      arguments: ['pointer', 'buffer', 'buffer', 'uint32', 'pointer', 'pointer', 'buffer'],
      return: 'int32',
    },
    RegDeleteKeyValueW: { arguments: ['pointer', 'buffer', 'buffer'], return: 'int32' },
  }).functions;
}
let advapi32: ReturnType<typeof loadAdvapi32> | undefined;

/**
 * Opens the library for privileges and the registry.
 * @throws Refusal if this Node is too old.
 */
export function openAdvapi32() {
  return (advapi32 ??= loadAdvapi32());
}

/** Parent of windows that only receive messages (HWND_MESSAGE). */
const MESSAGE_ONLY = 0xffff_ffff_ffff_fffdn;

/** Creates an invisible window, which owns what Windows gives only to windows. */
export function createHiddenWindow(): bigint {
  const { CreateWindowExW } = openUser32().functions;
  const className = encodeWideText('STATIC');
  const handle = CreateWindowExW(0, className, encodeWideText('Pegboard'), 0, 0, 0, 0, 0, MESSAGE_ONLY, 0n, 0n, 0n);
  if (handle === 0n) throw new Error('Windows created no window');
  return handle;
}
