// Runs in Node for Windows, under Wine. Tests send it functions, and it calls them with what is open here.
import { spawn, type ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { getFfi } from '#platform/agent/drivers/native/ffi.ts';
import { openKeyInjector, type KeyInjector } from '#platform/agent/drivers/windows/keyInjector.ts';
import { decodeWideText, encodeWideText, openUser32 } from '#platform/agent/drivers/windows/libraries.ts';
import { openWindowsSession } from '#platform/agent/drivers/windows/session.ts';

/** A window of Notepad, which has the focus. */
export interface Notepad {
  readonly child: ChildProcess;
  readonly window: bigint;
  readonly getText: () => string;
  readonly setText: (text: string) => void;
  /** Brings it to the front. */
  readonly focus: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const GET_TEXT = 0x0d;
const GET_TEXT_LENGTH = 0x0e;
const SET_TEXT = 0x0c;
/** A busy machine needs this long to start a program. */
const START_TIMEOUT_MS = 60_000;

async function openNotepad(): Promise<Notepad> {
  const user32 = openUser32().functions;
  const { SendMessageW, SetForegroundWindow } = getFfi().dlopen('user32.dll', {
    SendMessageW: { arguments: ['pointer', 'uint32', 'uint64', 'pointer'], return: 'int64' },
    SetForegroundWindow: { arguments: ['pointer'], return: 'int32' },
  }).functions;
  const getPid = (window: bigint): number => {
    const pid = Buffer.alloc(4);
    user32.GetWindowThreadProcessId(window, pid);
    return pid.readUInt32LE(0);
  };
  function findWindow(pid: number | undefined): bigint {
    let window = user32.FindWindowExW(0n, 0n, encodeWideText('Notepad'), 0n);
    while (window !== 0n && getPid(window) !== pid)
      window = user32.FindWindowExW(0n, window, encodeWideText('Notepad'), 0n);
    return window;
  }
  const child = spawn('notepad.exe', [], { stdio: 'ignore' });
  const deadline = performance.now() + START_TIMEOUT_MS;
  let window = 0n;
  while (window === 0n && performance.now() < deadline) {
    await sleep(50);
    window = findWindow(child.pid);
  }
  const edit = user32.FindWindowExW(window, 0n, encodeWideText('Edit'), 0n);
  async function focus(): Promise<void> {
    while (user32.GetForegroundWindow() !== window && performance.now() < deadline) {
      SetForegroundWindow(window);
      await sleep(50);
    }
  }
  await focus();
  return {
    focus,
    child,
    window,
    getText: () => {
      const length = Number(SendMessageW(edit, GET_TEXT_LENGTH, 0n, 0n));
      const text = Buffer.alloc(2 * (length + 1));
      SendMessageW(edit, GET_TEXT, BigInt(length + 1), text);
      return decodeWideText(text).replaceAll('\r\n', '\n');
    },
    setText: (text) => void SendMessageW(edit, SET_TEXT, 0n, encodeWideText(text)),
    close: async () => {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await exited;
    },
  };
}

/** What the functions of tests get. */
export interface WindowsHost {
  readonly openSession: typeof openWindowsSession;
  readonly openNotepad: typeof openNotepad;
  readonly injector: KeyInjector;
  readonly openUser32: typeof openUser32;
  readonly encodeWideText: typeof encodeWideText;
  readonly getFfi: typeof getFfi;
  readonly import: (specifier: string) => Promise<never>;
  readonly sleep: (delayMs: number) => Promise<unknown>;
  /** Values that later functions need. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each test puts other things there
  readonly values: Map<string, any>;
}

const [, , port] = process.argv;
if (port !== undefined) {
  const host: WindowsHost = {
    openSession: openWindowsSession,
    openNotepad,
    injector: openKeyInjector(),
    openUser32,
    encodeWideText,
    getFfi,
    import: (specifier) => import(specifier) as Promise<never>,
    sleep: (delayMs) => sleep(delayMs),
    values: new Map(),
  };
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('close', () => process.exit());
  async function answer(line: string): Promise<void> {
    const { id, source, args } = JSON.parse(line) as { id: number; source: string; args: unknown[] };
    try {
      // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- the source is a function of a test
      const task = new Function(`return (${source})`)() as (...all: unknown[]) => unknown;
      socket.write(`${JSON.stringify({ id, value: await task(host, ...args) })}\n`);
    } catch (error) {
      socket.write(`${JSON.stringify({ id, error: error instanceof Error ? error.message : String(error) })}\n`);
    }
  }
  createInterface({ input: socket }).on('line', (line) => void answer(line));
}
