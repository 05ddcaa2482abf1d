import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { text as readText } from 'node:stream/consumers';
import type { TextProgram, TextWindow } from './textWindow.ts';

const X_SOCKETS_FOLDER = '/tmp/.X11-unix';

/** Codes of keys in the kernel; `Y` types y in the US layout. */
export const KEY_CODES = {
  Esc: 1,
  Tab: 15,
  R: 19,
  Y: 21,
  LeftControl: 29,
  A: 30,
  LeftShift: 42,
  LeftAlt: 56,
  Space: 57,
  CapsLock: 58,
  F9: 67,
  F11: 87,
  LeftSuper: 125,
} as const;

/** A desktop without a screen, and a person who uses it. */
export interface VirtualDesktop extends AsyncDisposable {
  /** Environment of the agent, and of programs that should appear on the desktop. */
  readonly env: NodeJS.ProcessEnv;
  /** What the agent calls it. */
  readonly name: string;
  /** Presses or releases a key of the person's keyboard, by its code in the kernel. Calls keep their order. */
  readonly sendKey: (code: number, isDown: boolean) => Promise<void>;
  /** Sets the layouts of that keyboard ('de', 'us,ru'), and an XKB option ('caps:none'). */
  readonly setLayout: (layout: string, option?: string) => Promise<void>;
  /** Returns the name of the layout in use, if the desktop switches layouts later than a key that is pressed next. */
  readonly getActiveLayout?: () => Promise<string | undefined>;
  /** Opens a window, which gets the focus. */
  readonly openTextWindow: (program: TextProgram) => Promise<TextWindow>;
  /** Puts a text on the clipboard, like another program. */
  readonly copyText: (text: string) => Promise<void>;
  /** Returns the text on the clipboard, as another program gets it. */
  readonly pasteText: () => Promise<string>;
}

/** Returns '' if the file does not exist yet. */
export function readTextFile(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

/** Kills a process, and waits for its end. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Uses the clipboard of an X display, like another program. */
export function createXClipboard(env: NodeJS.ProcessEnv): Pick<VirtualDesktop, 'copyText' | 'pasteText'> {
  const args = ['-selection', 'clipboard'];
  return {
    copyText: async (text) => {
      const child = spawn('xclip', args, { env, stdio: ['pipe', 'ignore', 'ignore'] });
      child.stdin.end(text);
      await once(child, 'exit');
    },
    pasteText: () => readText(spawn('xclip', ['-o', ...args], { env, timeout: 10_000 }).stdout),
  };
}

/** Presses the keys in order, and releases them in reverse. No answer is waited for, in which time keys repeat. */
export async function tapKeys(desktop: VirtualDesktop, ...codes: readonly number[]): Promise<void> {
  await Promise.all([
    ...codes.map((code) => desktop.sendKey(code, true)),
    ...codes.toReversed().map((code) => desktop.sendKey(code, false)),
  ]);
}

/** Lists the mounts in a folder, the innermost first. */
function listMounts(folder: string): readonly string[] {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  return mounts
    .flatMap((line) => line.split(' ')[1] ?? [])
    .filter((path) => path.startsWith(`${folder}/`))
    .toReversed();
}

/** Makes the folder for the sockets of X servers writable for all users, as compositors demand. */
export function prepareXSockets(): void {
  mkdirSync(X_SOCKETS_FOLDER, { recursive: true });
  // A compositor that finds no folder makes one that only its own user can write to.
  if (process.getuid?.() === 0) chmodSync(X_SOCKETS_FOLDER, 0o1777);
}

/**
 * Removes the folder of a desktop that has ended. Its programs may still write there, and what they have mounted
 * stays: the portal for documents, which a browser starts.
 */
export function removeDesktopFolder(folder: string): void {
  for (const path of listMounts(folder)) spawnSync('umount', ['--lazy', path]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
