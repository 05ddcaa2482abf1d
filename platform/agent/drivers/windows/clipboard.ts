import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { Refusal } from '#platform/contract/refusal.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import type { ClipboardDriver } from '../drivers.ts';
import { getFfi } from '../native/ffi.ts';
import { createHiddenWindow, decodeWideText, encodeWideText, openKernel32, openUser32 } from './libraries.ts';
import { startThread } from './threads.ts';

const UNICODE_TEXT = 13;
const MOVEABLE = 2;
/** Another program may have the clipboard open for a moment. */
const OPEN_ATTEMPTS = 20;
const OPEN_RETRY_DELAY_MS = 25;
const BUSY_MESSAGE = 'Another program on that computer keeps the clipboard open. Try again in a moment';
const READ_TIMEOUT_MS = 2000;
const NOT_RESPONDING_MESSAGE =
  'The program that owns the clipboard of that computer is not responding. Close that program there, then copy again';
const NO_MEMORY_MESSAGE = "Windows couldn't store the text on the clipboard of that computer";

/**
 * Reads the clipboard. It runs in a thread of its own, because the call returns only when the program that has copied
 * something hands it over. Posts the bytes; undefined if it is busy.
 */
const READ_THREAD = `
const { parentPort } = require('node:worker_threads');
const ffi = require('node:ffi');
const user32 = ffi.dlopen('user32.dll', {
  OpenClipboard: { arguments: ['pointer'], return: 'int32' },
  CloseClipboard: { arguments: [], return: 'int32' },
  GetClipboardData: { arguments: ['uint32'], return: 'pointer' },
}).functions;
const kernel32 = ffi.dlopen('kernel32.dll', {
  GlobalLock: { arguments: ['pointer'], return: 'pointer' },
  GlobalUnlock: { arguments: ['pointer'], return: 'int32' },
  GlobalSize: { arguments: ['pointer'], return: 'uint64' },
}).functions;
function read() {
  const memory = user32.GetClipboardData(${UNICODE_TEXT});
  const pointer = memory === 0n ? 0n : kernel32.GlobalLock(memory);
  if (pointer === 0n) return Buffer.alloc(0);
  const bytes = ffi.toBuffer(pointer, Number(kernel32.GlobalSize(memory)));
  kernel32.GlobalUnlock(memory);
  return bytes;
}
let attempts = 0;
function tryToRead() {
  if (user32.OpenClipboard(0n) === 0) {
    if (attempts++ === ${OPEN_ATTEMPTS}) parentPort.postMessage(undefined);
    else setTimeout(tryToRead, ${OPEN_RETRY_DELAY_MS});
    return;
  }
  const bytes = read();
  user32.CloseClipboard();
  parentPort.postMessage(bytes);
}
tryToRead();
`;

/** The thread of a read that hangs. It keeps the clipboard open, also for other programs. */
let hungThread: Worker | undefined;

/** @throws Refusal if a read hangs. */
function refuseIfHung(): void {
  if (hungThread) throw new Refusal('device.clipboard_hangs', NOT_RESPONDING_MESSAGE);
}

/** @throws Refusal if the clipboard is busy, or the program that owns it hangs. */
async function readText(): Promise<string> {
  refuseIfHung();
  const worker = startThread(READ_THREAD);
  worker.unref();
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | undefined>();
  worker.once('message', resolve);
  worker.once('error', reject);
  worker.once('exit', () => {
    if (hungThread === worker) hungThread = undefined;
  });
  const timer = setTimeout(() => {
    hungThread = worker;
    reject(new Refusal('device.clipboard_hangs', NOT_RESPONDING_MESSAGE));
  }, READ_TIMEOUT_MS);
  try {
    const bytes = await promise;
    if (!bytes) throw new Refusal('device.clipboard_busy', BUSY_MESSAGE);
    return fromWindowsLines(decodeWideText(Buffer.from(bytes)));
  } finally {
    clearTimeout(timer);
  }
}

/** Windows ends lines with CR and LF. */
const toWindowsLines = (text: string): string => text.replaceAll(/\r?\n/g, '\r\n');
const fromWindowsLines = (text: string): string => text.replaceAll('\r\n', '\n');

/** Opens the clipboard of Windows. */
export function openWindowsClipboard(): ClipboardDriver {
  const enqueue = createSerialQueue();
  const user32 = openUser32().functions;
  const kernel32 = openKernel32();

  /**
   * Runs the task while no other program can use the clipboard.
   * @throws Refusal if another program keeps it open, or hangs.
   */
  async function withClipboard<T>(task: () => T): Promise<T> {
    refuseIfHung();
    // Windows lends the clipboard to windows, not to programs. What we store stays when the window goes.
    const owner = createHiddenWindow();
    try {
      for (let attempt = 0; user32.OpenClipboard(owner) === 0; attempt++) {
        if (attempt === OPEN_ATTEMPTS) throw new Refusal('device.clipboard_busy', BUSY_MESSAGE);
        await sleep(OPEN_RETRY_DELAY_MS);
      }
      try {
        return task();
      } finally {
        user32.CloseClipboard();
      }
    } finally {
      user32.DestroyWindow(owner);
    }
  }
  function writeText(text: string): void {
    const bytes = encodeWideText(toWindowsLines(text));
    const memory = kernel32.GlobalAlloc(MOVEABLE, BigInt(bytes.length));
    const pointer = memory === 0n ? 0n : kernel32.GlobalLock(memory);
    if (pointer === 0n) {
      kernel32.GlobalFree(memory);
      throw new Refusal('device.clipboard_failed', NO_MEMORY_MESSAGE);
    }
    getFfi().exportBuffer(bytes, pointer, bytes.length);
    kernel32.GlobalUnlock(memory);
    user32.EmptyClipboard();
    // Windows owns the memory from here on, unless it refuses it.
    if (user32.SetClipboardData(UNICODE_TEXT, memory) !== 0n) return;
    kernel32.GlobalFree(memory);
    throw new Refusal('device.clipboard_failed', NO_MEMORY_MESSAGE);
  }
  return {
    ability: { able: true },
    read: () => enqueue(readText),
    write: (text) => enqueue(() => withClipboard(() => writeText(text))),
  };
}
