import type { ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { waitFor } from './desktop.ts';
import { endProcess, readTextFile } from './virtualDesktop.ts';

/** `gtk` has a text area, `keys` has no text field, the others are terminals; `xterm` is a program for X11. */
export type TextProgram = 'foot' | 'gtk' | 'keys' | 'xterm';

/** A window that records what is typed into it. */
export interface TextWindow extends AsyncDisposable {
  readonly child: ChildProcess;
  /** What the program calls itself to a Wayland compositor. */
  readonly application: string;
  /** Starts again with no text. */
  readonly clear: () => void;
  /** Text since the last `clear`; Return is '\n'. */
  readonly getText: () => string;
}

/** Starts a program on a desktop. */
export type StartProgram = (program: string, args: readonly string[], env: NodeJS.ProcessEnv) => ChildProcess;

/** GTK draws without a graphics card. */
export const GTK_ENV = { GSK_RENDERER: 'cairo', LIBGL_ALWAYS_SOFTWARE: '1', GTK_A11Y: 'none' };
const READY = 'ready';
const READY_SCRIPT = `stty raw -echo; printf ${READY} > "$0"; exec cat >> "$0"`;

const APPLICATIONS: Readonly<Record<TextProgram, string>> = {
  foot: 'foot',
  gtk: 'python3',
  keys: 'python3',
  xterm: 'XTerm',
};

function getCommand(program: TextProgram, path: string): readonly [program: string, args: readonly string[]] {
  switch (program) {
    case 'foot':
      return ['foot', ['sh', '-c', READY_SCRIPT, path]];
    case 'xterm':
      return ['xterm', ['-u8', '-e', 'sh', '-c', READY_SCRIPT, path]];
    case 'gtk':
      return ['/usr/bin/python3', [resolve('testing/python/textView.py'), path]];
    case 'keys':
      return ['/usr/bin/python3', [resolve('testing/python/keyWindow.py'), path]];
  }
}

/** Opens a window; it may not have the focus yet. */
export async function openTextWindow(start: StartProgram, program: TextProgram): Promise<TextWindow> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-text-window-'));
  // The program may run as another user.
  chmodSync(folder, 0o777);
  const path = join(folder, 'text');
  const child = start(...getCommand(program, path), GTK_ENV);
  const isTerminal = program === 'foot' || program === 'xterm';
  await waitFor(`${program} is ready`, () => (isTerminal ? readTextFile(path) === READY : existsSync(path)));
  const readText = (): string =>
    readTextFile(path)
      .slice(isTerminal ? READY.length : 0)
      .replaceAll('\r', '\n');
  let textStart = 0;
  return {
    child,
    application: APPLICATIONS[program],
    clear: () => {
      textStart = readText().length;
    },
    getText: () => readText().slice(textStart),
    [Symbol.asyncDispose]: async () => {
      await endProcess(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
