import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeDesktop } from '#testing/desktops/describeDesktop.ts';
import {
  getWineSkipReason,
  startWindows,
  WINDOWS_START_TIMEOUT_MS,
  toWindowsPath,
  toWindowsUrl,
  type WindowsDesktop,
} from '#testing/kits/desktop/wine.ts';

const SESSION = toWindowsUrl(resolve(import.meta.dirname, 'session.ts'));
const MAIN = toWindowsPath(resolve(import.meta.dirname, '../../../../apps/agent/main.ts'));
const [SHIFT, CONTROL, RIGHT_BUTTON] = [0x10, 0x11, 0x02];

/** Holds keys and a button with a guardian beside it, then does what `after` says. */
const formatHolder = (heldPath: string, after: string): string => `
  import(${JSON.stringify(SESSION)}).then(async ({ openWindowsSession }) => {
    const guardian = {
      program: process.execPath,
      args: ['--disable-warning=ExperimentalWarning', ${JSON.stringify(MAIN)}, '--guardian'],
      onStart: (pid) => console.log('guardian', pid),
    };
    const session = await openWindowsSession({ heldPath: ${JSON.stringify(heldPath)}, guardian });
    await new Promise((resolve) => setTimeout(resolve, 8000)); // the guardian starts meanwhile
    await session.keyboard.holdModifiers(['Ctrl', 'Shift']);
    session.mouse.centre();
    session.mouse.button('right', true);
    console.log('held');
    ${after}
  });`;

describeDesktop('keys never stick on Windows', { missing: getWineSkipReason(), isExtra: true }, () => {
  let windows: WindowsDesktop;
  beforeAll(async () => {
    windows = await startWindows();
  }, WINDOWS_START_TIMEOUT_MS);
  afterAll(async () => windows?.[Symbol.asyncDispose]());

  const listDown = () =>
    windows.run(({ injector }, codes) => codes.filter((code) => injector.isDown(code)), [SHIFT, CONTROL, RIGHT_BUTTON]);
  const allDown = [SHIFT, CONTROL, RIGHT_BUTTON];

  test('if the agent is killed (kill -9) while it holds keys, the guardian releases them', async () => {
    const program = windows.startNode(['-e', formatHolder(toWindowsPath(join(windows.folder, 'killed.json')), '')]);
    await expect.poll(program.getOutput).toContain('held');
    expect(await listDown()).toEqual(allDown);
    await program[Symbol.asyncDispose]();
    const startedAt = performance.now();
    await expect.poll(listDown).toEqual([]);
    process.stdout.write(`released ${(performance.now() - startedAt).toFixed(0)} ms after kill -9\n`);
  });

  test('if the agent hangs while it holds keys, the guardian releases them', async () => {
    const heldPath = toWindowsPath(join(windows.folder, 'hanging.json'));
    const program = windows.startNode(['-e', formatHolder(heldPath, 'for (;;);')]);
    await expect.poll(program.getOutput).toContain('held');
    expect(await listDown()).toEqual(allDown);
    const startedAt = performance.now();
    await expect.poll(listDown).toEqual([]);
    process.stdout.write(`released ${(performance.now() - startedAt).toFixed(0)} ms after the agent hung\n`);
    await program[Symbol.asyncDispose]();
  });

  test('if agent and guardian are gone, the next start releases what the file names', async () => {
    const heldPath = toWindowsPath(join(windows.folder, 'gone.json'));
    const source = formatHolder(heldPath, '').replace('guardian });', '});');
    const program = windows.startNode(['-e', source]);
    await expect.poll(program.getOutput).toContain('held');
    await program[Symbol.asyncDispose]();
    expect(await listDown()).toEqual(allDown);
    await windows.run(async ({ openSession }, path) => {
      const session = await openSession({ heldPath: path });
      await session[Symbol.asyncDispose]();
    }, heldPath);
    expect(await listDown()).toEqual([]);
  });

  test('nothing is held for longer than ten seconds', async () => {
    const heldPath = toWindowsPath(join(windows.folder, 'long.json'));
    await windows.run(async ({ openSession, values }, path) => {
      const session = await openSession({ heldPath: path });
      values.set('session', session);
      await session.keyboard.holdModifiers(['Ctrl']);
    }, heldPath);
    expect(await listDown()).toEqual([CONTROL]);
    await expect.poll(listDown).toEqual([]);
  });
});
