import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '#platform/contract/refusal.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import type { ConfirmationPrompt } from '../drivers.ts';
import { getFfi } from '../native/ffi.ts';
import type { DesktopNotifications } from '../notifications.ts';
import { createHiddenWindow, encodeWideText, openUser32 } from './libraries.ts';
import { encodeNotifyIcon } from './notifyIcon.ts';
import { quitThread, startThread } from './threads.ts';

const SHOW_MS = 10_000;
const SHOW_ATTEMPTS = 10;
const SHOW_RETRY_DELAY_MS = 500;
const NO_NOTIFICATIONS_MESSAGE = "The desktop of that computer doesn't show notifications";
const ICON_ACTION = { add: 0, modify: 1, remove: 2 } as const;
const INFORMATION_ICON = 32_516n;

const DIALOG_CLASS = '#32770';
const BUTTON = { confirm: 6, reject: 7 } as const;
const COMMAND_MESSAGE = 0x111;
/** Two buttons, with Enter for the second; a question mark; in front of all windows. */
const QUESTION_STYLE = 0x4 | 0x100 | 0x20 | 0x40000 | 0x10000;
const FIND_INTERVAL_MS = 20;
const FIND_TIMEOUT_MS = 5000;
/** A box closes within this time after the request, or is lost. */
const CLOSE_TIMEOUT_MS = 1000;

/**
 * Shows a question. It runs in a thread of its own, because the call returns only with the answer. Posts the number of
 * the thread, and then that of the button; 0 if it could not be shown.
 */
const QUESTION_THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const { functions } = require('node:ffi').dlopen('user32.dll', {
  MessageBoxW: { arguments: ['pointer', 'buffer', 'buffer', 'uint32'], return: 'int32' },
});
const kernel32 = require('node:ffi').dlopen('kernel32.dll', {
  GetCurrentThreadId: { arguments: [], return: 'uint32' },
}).functions;
const encode = (text) => Buffer.from(text + '\\0', 'utf16le');
parentPort.postMessage({ threadId: kernel32.GetCurrentThreadId() });
parentPort.postMessage({
  button: functions.MessageBoxW(0n, encode(workerData.text), encode(workerData.title), ${QUESTION_STYLE}),
});
`;

interface QuestionMessage {
  readonly threadId?: number;
  readonly button?: number;
}

/** Shows notifications in the notification area, and questions as message boxes. */
export function openWindowsNotifications(): DesktopNotifications {
  const user32 = openUser32().functions;
  const { Shell_NotifyIconW } = getFfi().dlopen('shell32.dll', {
    Shell_NotifyIconW: { arguments: ['uint32', 'buffer'], return: 'int32' },
  }).functions;
  const window = createHiddenWindow();
  const icon = user32.LoadIconW(0n, INFORMATION_ICON);
  const enqueueShow = createSerialQueue();
  const enqueueQuestion = createSerialQueue();
  let shown: Buffer | undefined;
  let hideTimer: NodeJS.Timeout | undefined;
  let isAsking = false;
  let openDialog = 0n;
  /** The thread of the open question, with its number for Windows as soon as it is known. */
  let dialogThread: { threadId?: number } = {};
  let isClosed = false;

  function hide(): void {
    clearTimeout(hideTimer);
    if (shown) Shell_NotifyIconW(ICON_ACTION.remove, shown);
    shown = undefined;
  }
  async function show(title: string, text: string): Promise<void> {
    const data = encodeNotifyIcon({ window, icon, title, text });
    // The taskbar appears some time after the login, and forgets icons when it starts again.
    for (let attempt = 0; ; attempt++) {
      if (shown && Shell_NotifyIconW(ICON_ACTION.modify, data) !== 0) break;
      if (Shell_NotifyIconW(ICON_ACTION.add, data) !== 0) break;
      if (attempt === SHOW_ATTEMPTS) throw new Refusal('device.no_notifications', NO_NOTIFICATIONS_MESSAGE);
      await sleep(SHOW_RETRY_DELAY_MS);
    }
    shown = data;
    clearTimeout(hideTimer);
    // The icon is there only while there is something to read.
    hideTimer = setTimeout(hide, SHOW_MS).unref();
  }

  function findDialog(title: string): bigint {
    const [className, windowTitle] = [encodeWideText(DIALOG_CLASS), encodeWideText(title)];
    const pid = Buffer.alloc(4);
    let dialog = user32.FindWindowExW(0n, 0n, className, windowTitle);
    while (dialog !== 0n) {
      user32.GetWindowThreadProcessId(dialog, pid);
      if (pid.readUInt32LE(0) === process.pid) return dialog;
      dialog = user32.FindWindowExW(0n, dialog, className, windowTitle);
    }
    return 0n;
  }
  /** Answers the open question with its second button. One whose box was not found ends together with its thread. */
  function closeDialog(): void {
    if (openDialog !== 0n) user32.PostMessageW(openDialog, COMMAND_MESSAGE, BigInt(BUTTON.reject), 0n);
    else if (dialogThread.threadId !== undefined) quitThread(dialogThread.threadId);
  }
  async function labelDialog({ title, confirmLabel, rejectLabel }: ConfirmationPrompt): Promise<void> {
    const deadline = performance.now() + FIND_TIMEOUT_MS;
    const isMissing = (): boolean => isAsking && openDialog === 0n;
    while (isMissing() && performance.now() < deadline) {
      await sleep(FIND_INTERVAL_MS);
      openDialog = findDialog(title);
    }
    if (openDialog === 0n) return;
    user32.SetDlgItemTextW(openDialog, BUTTON.confirm, encodeWideText(confirmLabel));
    user32.SetDlgItemTextW(openDialog, BUTTON.reject, encodeWideText(rejectLabel));
    if (isClosed) closeDialog();
  }
  /** Returns the number of the button that was pressed; undefined if the question ended without an answer. */
  async function ask({ title, text, timeoutMs }: ConfirmationPrompt): Promise<number | undefined> {
    const worker = startThread(QUESTION_THREAD, { title, text });
    const thread: typeof dialogThread = {};
    dialogThread = thread;
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    worker.on('message', ({ threadId, button }: QuestionMessage) => {
      if (threadId !== undefined) thread.threadId = threadId;
      if (button !== undefined) resolve(button);
    });
    worker.once('error', reject);
    worker.once('exit', () => resolve(undefined));
    let isExpired = false;
    const timers = [
      setTimeout(() => {
        isExpired = true;
        if (openDialog === 0n) openDialog = findDialog(title);
        closeDialog();
      }, timeoutMs),
      setTimeout(() => resolve(undefined), timeoutMs + CLOSE_TIMEOUT_MS),
    ];
    try {
      const button = await promise;
      return isExpired ? undefined : button;
    } finally {
      // One that starts only now must not show its box any more.
      void worker.terminate();
      worker.unref();
      for (const timer of timers) clearTimeout(timer);
    }
  }
  async function confirm(question: ConfirmationPrompt): Promise<boolean | undefined> {
    if (isClosed) return undefined;
    isAsking = true;
    const labelling = labelDialog(question);
    try {
      const button = await ask(question);
      if (button === 0 && !isClosed) throw new Error('Windows could not show the question');
      return button === undefined ? undefined : button === BUTTON.confirm;
    } catch (cause) {
      throw new Refusal('device.no_notifications', NO_NOTIFICATIONS_MESSAGE, { cause });
    } finally {
      isAsking = false;
      await labelling;
      openDialog = 0n;
      dialogThread = {};
    }
  }

  return {
    ability: { able: true },
    show: (title, text) => enqueueShow(() => show(title, text)),
    confirm: (question) => enqueueQuestion(() => confirm(question)),
    [Symbol.asyncDispose]: async () => {
      isClosed = true;
      hide();
      // A thread that waits for an answer would keep the agent from ending.
      closeDialog();
      user32.DestroyWindow(window);
    },
  };
}
