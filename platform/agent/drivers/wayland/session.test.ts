import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { SAMPLE_TEXTS } from '#testing/kits/desktop/sampleTexts.ts';
import { openFocusedWindow, testSession, typeAndRead } from '#testing/kits/desktop/sessionSuite.ts';
import { startSway, type SwayDesktop } from '#testing/kits/desktop/sway.ts';
import { KEY_CODES } from '#testing/kits/desktop/virtualDesktop.ts';
import { getSkipReason } from '#testing/machine.ts';
import type { DesktopSession } from '../desktopSession.ts';
import { openDesktopSession } from '../openDesktopSession.ts';

const skipReason = getSkipReason('sway', 'foot', 'Xwayland', 'xterm', 'wl-copy', 'gi', 'xkbcli', 'setpriv');

describe.skipIf(skipReason)(`a sway desktop${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  let sway: SwayDesktop;
  let session: DesktopSession;
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-wayland-'));
  beforeAll(async () => {
    sway = await startSway();
    session = await openDesktopSession({ env: sway.env, heldPath: join(folder, 'held.json') });
  });
  afterAll(async () => {
    await session[Symbol.asyncDispose]();
    await sway[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  testSession(() => ({ desktop: sway, session }), {
    layouts: ['us', 'de', 'fr', 'ru', 'us,ru'],
    programs: ['gtk', 'foot'],
  });

  test('every text arrives exactly in a program for X11', async () => {
    await sway.setLayout('de');
    await using window = await openFocusedWindow({ desktop: sway, session }, 'xterm');
    for (const [, text] of SAMPLE_TEXTS) expect(await typeAndRead(session, window, text)).toEqual([]);
  });

  test('every text arrives exactly although somebody uses another keyboard in between', async () => {
    await using window = await openFocusedWindow({ desktop: sway, session }, 'foot');
    for (const [, text] of SAMPLE_TEXTS) {
      await sway.setLayout('fr');
      expect(await typeAndRead(session, window, text)).toEqual([]);
    }
  });

  test('the screen, or a part of it, is recorded as a video that can be played', async () => {
    const path = join(folder, 'recording.mkv');
    const recording = await session.capture.start(path, { x: 10, y: 20, width: 321, height: 200 });
    await using window = await openFocusedWindow({ desktop: sway, session }, 'foot');
    await typeAndRead(session, window, 'something moves');
    await recording.stop();
    expect(await recording.whenEnded).toBeUndefined();
    const { stdout } = spawn(
      'ffprobe',
      [
        ['-v', 'error', '-count_frames', '-select_streams', 'v', '-of', 'json'],
        ['-show_entries', 'stream=width,height,pix_fmt,nb_read_frames', path],
      ].flat(),
    );
    const [stream] = JSON.parse(await readText(stdout)).streams;
    expect(stream).toMatchObject({ width: 320, height: 200, pix_fmt: 'yuv420p' });
    expect(Number(stream.nb_read_frames)).toBeGreaterThan(0);
  });

  function startProgram(code: string): ChildProcess {
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code];
    const child = spawn(process.execPath, args, { env: sway.env, stdio: ['ignore', 'ignore', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  }

  describe('keys never stick', () => {
    test('an agent that is killed while it holds a key leaves nothing down', async () => {
      await sway.setLayout('us');
      await using window = await sway.openTextWindow('foot');
      window.clear();
      const agent = startProgram(`
        import { connectWayland, getWaylandSocketPath } from '#platform/agent/drivers/wayland/connection.ts';
        import { openVirtualKeyboard } from '#platform/agent/drivers/wayland/virtualKeyboard.ts';
        const connection = await connectWayland(getWaylandSocketPath(process.env));
        const manager = connection.bind('zwp_virtual_keyboard_manager_v1', 1);
        const keyboard = await openVirtualKeyboard(connection, manager);
        keyboard.setKeymapText(keyboard.getKeymap().text);
        keyboard.sendKey(${KEY_CODES.A}, true);
        await connection.sync();
        setTimeout(() => process.kill(process.pid, 'SIGKILL'), 500);`);
      await new Promise((resolve) => agent.once('exit', resolve));
      await waitFor('the key was pressed', () => window.getText().startsWith('a'));
      // The terminal repeats a held key about 25 times a second.
      await waitFor('the terminal repeats it no more', async () => {
        const { length } = window.getText();
        await sleep(1000);
        return window.getText().length === length;
      });
    });

    test('an agent that hangs while it holds a button is ended, which releases it', async () => {
      const agent = startProgram(`
        import { openDesktopSession } from '#platform/agent/drivers/openDesktopSession.ts';
        const guardian = { program: process.execPath, args: ['apps/agent/main.ts', '--guardian'] };
        const session = await openDesktopSession({ env: process.env, heldPath: '${join(folder, 'other.json')}', guardian });
        session.mouse.button('left', true);
        await new Promise((resolve) => setTimeout(resolve, 1500));
        for (;;);`);
      const signal = await new Promise((resolve) => agent.once('exit', (_code, name) => resolve(name)));
      expect(signal).toBe('SIGKILL');
    });
  });
});
