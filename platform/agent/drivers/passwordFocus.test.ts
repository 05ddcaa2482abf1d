import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { waitFor, startDesktop, type TestDesktop } from '#testing/kits/desktop/desktop.ts';
import { getSkipReason } from '#testing/machine.ts';
import { openPasswordFocus } from './passwordFocus.ts';

/** If a window loses the focus, the root window gets it (X11 protocol, SetInputFocus). */
const REVERT_TO_ROOT = 1;

test.each([undefined, '', 'nonsense:', 'unix:path=/nowhere/bus'])(
  'without a bus (%j) no field is reported as focused',
  async (address) => {
    await using focus = await openPasswordFocus(address);
    expect(focus.isFocused()).toBe(false);
  },
);

const skipReason = getSkipReason('Xvfb', 'openbox', 'dbus-run-session', 'at-spi-bus-launcher', 'zenity');

/** Ends a program and everything that it started. */
async function close(child: ChildProcess): Promise<void> {
  const exited = new Promise((done) => child.once('exit', done));
  if (child.exitCode === null && child.signalCode === null) {
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    await exited;
  }
}

/** A desktop with a session bus that starts the accessibility bus on demand, and windows with one field each. */
async function startAccessibleDesktop() {
  const desk = await startDesktop();
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-bus-'));
  const env = { ...desk.env, XDG_RUNTIME_DIR: folder };
  const children: ChildProcess[] = [];
  function run(program: string, ...args: readonly string[]): ChildProcess {
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    children.push(child);
    return child;
  }
  onTestFinished(async () => {
    for (const child of children.toReversed()) await close(child);
    await desk[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });
  const lines: string[] = [];
  const session = run('dbus-run-session', '--', 'sh', '-c', 'echo "$DBUS_SESSION_BUS_ADDRESS"; exec sleep 600');
  createInterface({ input: session.stdout ?? process.stdin }).on('line', (line) => void lines.push(line));
  const address = await waitFor('the bus runs', () => lines[0]);
  Object.assign(env, { DBUS_SESSION_BUS_ADDRESS: address });
  return { desk, address, openField: (kind: 'password' | 'entry') => run('zenity', `--${kind}`) };
}

/** Takes the focus from the windows, and gives it back to one. */
async function focusAgain({ display, waitForFocus }: TestDesktop): Promise<void> {
  display.x.SetInputFocus(display.root, REVERT_TO_ROOT);
  await display.sync();
  await waitForFocus();
}

describe.skipIf(skipReason)(
  `password fields of a real desktop${skipReason === undefined ? '' : `: ${skipReason}`}`,
  () => {
    test('a password field is reported from when it gets the focus until its window is left or closed', async () => {
      const { desk, address, openField } = await startAccessibleDesktop();
      await using focus = await openPasswordFocus(address);
      const password = openField('password');
      const isReported = await waitFor('the field has the focus', () => focus.isFocused(), 5000).catch(() => false);
      // On a busy computer, a GTK program gets the focus before it knows its listeners.
      if (!isReported) await focusAgain(desk);
      await waitFor('the password field has the focus', () => focus.isFocused());
      const entry = openField('entry');
      await waitFor('another window has the focus', () => !focus.isFocused());
      await close(entry);
      await waitFor('the password field has the focus again', () => focus.isFocused());
      await close(password);
      await waitFor('its program has ended', () => !focus.isFocused());
    });
  },
);
