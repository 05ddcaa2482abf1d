import type { ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { waitFor } from './desktop.ts';

/** A GTK window with a text area, on any desktop. */
export interface TextView extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly getText: () => string;
}

/** GTK draws without a graphics card. */
const GTK_ENV = { GSK_RENDERER: 'cairo', LIBGL_ALWAYS_SOFTWARE: '1', GTK_A11Y: 'none' };

/**
 * Opens the window; it may not have the focus yet.
 * @param start starts a program on the desktop.
 */
export async function openTextView(
  start: (program: string, args: readonly string[], env: NodeJS.ProcessEnv) => ChildProcess,
): Promise<TextView> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-text-view-'));
  // The program may run as another user.
  chmodSync(folder, 0o777);
  const path = join(folder, 'text');
  const child = start('/usr/bin/python3', [resolve('testing/python/textView.py'), path], GTK_ENV);
  await waitFor('the text view is open', () => existsSync(path));
  return {
    child,
    getText: () => readFileSync(path, 'utf8'),
    [Symbol.asyncDispose]: async () => {
      const exited = new Promise((done) => child.once('exit', done));
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await exited;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
