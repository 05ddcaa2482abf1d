import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ASCII, LATIN_1, SAMPLE_TEXTS } from '#testing/kits/desktop/sampleTexts.ts';
import { openFocusedWindow, testSession, typeAndRead } from '#testing/kits/desktop/sessionSuite.ts';
import { openInputWatcher, startSway, type SwayDesktop } from '#testing/kits/desktop/sway.ts';
import { KEY_CODES } from '#testing/kits/desktop/virtualDesktop.ts';
import { getSkipReason } from '#testing/machine.ts';
import type { DesktopSession } from '../desktopSession.ts';
import { openLibc } from '../native/libc.ts';
import { openDesktopSession } from '../openDesktopSession.ts';
import { connectWayland, getWaylandSocketPath, type WaylandObject } from './connection.ts';

const skipReason = getSkipReason('sway', 'wtype', 'foot', 'Xwayland', 'xterm', 'wl-copy', 'gi', 'xkbcli', 'setpriv');

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
    mainLayouts: ['us', 'us,ru'],
  });

  test('every text arrives exactly in a program for X11', async () => {
    await sway.setLayout('de');
    await using window = await openFocusedWindow({ desktop: sway, session }, 'xterm');
    for (const text of [ASCII, LATIN_1, 'hooh', 'wörld мир'])
      expect(await typeAndRead(session, window, text)).toEqual([]);
  });

  test('every text arrives exactly although somebody uses another keyboard in between', async () => {
    await using window = await openFocusedWindow({ desktop: sway, session }, 'foot');
    for (const text of [ASCII, 'wörld мир', 'ä👋\nβ']) {
      await sway.setLayout('fr');
      expect(await typeAndRead(session, window, text)).toEqual([]);
    }
  });

  test('keys and inserted texts keep their order in a program that is slow', async () => {
    await using window = await openFocusedWindow({ desktop: sway, session }, 'gtk');
    const typing = session.keyboard.type('👋\t👋\n👋');
    await expect.poll(window.getText, { interval: 5 }).not.toBe('');
    window.child.kill('SIGSTOP');
    await sleep(300);
    window.child.kill('SIGCONT');
    await typing;
    await expect.poll(window.getText).toBe('👋\t👋\n👋');
  });

  test('programs that never answer, or never read, block nothing', async () => {
    await using other = await connectWayland(getWaylandSocketPath(sway.env));
    const seat = other.bind('wl_seat', 5);
    const manager = other.bind('zwlr_data_control_manager_v1', 2);
    if (!seat || !manager) throw new Error('sway has no clipboard');
    const offers: WaylandObject<'zwlr_data_control_offer_v1'>[] = [];
    const device = other.create('zwlr_data_control_device_v1', { data_offer: (offer) => void offers.push(offer) });
    manager.send('get_data_device', device, seat);
    const descriptors: number[] = [];
    const source = other.create('zwlr_data_control_source_v1', {
      send: (_type, descriptor) => void descriptors.push(descriptor),
    });
    manager.send('create_data_source', source);
    source.send('offer', 'text/plain');
    device.send('set_selection', source);
    await other.sync();

    // Node has four threads for files.
    const readings = Array.from({ length: 5 }, () => session.clipboard.read());
    await Promise.all(readings.map((reading) => expect(reading).rejects.toThrow('is not responding')));
    expect(descriptors).toHaveLength(5);
    for (const descriptor of descriptors) openLibc().close(descriptor);

    await session.clipboard.write('x'.repeat(200_000));
    await expect.poll(() => other.sync().then(() => offers.length)).toBeGreaterThan(1);
    const readEnds = Array.from({ length: 5 }, () => {
      const { readEnd, writeEnd } = openLibc().createPipe();
      offers.at(-1)?.send('receive', 'text/plain', writeEnd);
      return readEnd;
    });
    await other.sync();
    expect(await readFile(import.meta.filename, 'utf8')).toContain('never read');
    for (const readEnd of readEnds) openLibc().close(readEnd);
    expect(await sway.pasteText()).toHaveLength(200_000);
  });

  test('every text arrives exactly after a program that brings its own keymap has typed', async () => {
    await sway.setLayout('de');
    await using window = await openFocusedWindow({ desktop: sway, session }, 'foot');
    for (const [, text] of SAMPLE_TEXTS) {
      window.clear();
      spawnSync('wtype', ['a b'], { env: sway.env });
      await expect.poll(window.getText).toBe('a b');
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

  describe('keys never stick', () => {
    test.each(['SIGKILL', 'SIGSTOP'] as const)('what an agent holds is released after %s', async (signal) => {
      await sway.setLayout('us');
      await using watcher = await openInputWatcher(sway);
      const code = `
        import { openDesktopSession } from '#platform/agent/drivers/openDesktopSession.ts';
        const guardian = { program: process.execPath, args: ['apps/agent/main.ts', '--guardian'] };
        const session = await openDesktopSession({ env: process.env, heldPath: '${join(folder, 'other.json')}', guardian });
        await session.keyboard.holdModifiers(['Ctrl']);
        session.mouse.centre();
        session.mouse.button('left', true);`;
      const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code];
      const agent = spawn(process.execPath, args, { env: sway.env, stdio: ['ignore', 'ignore', 'inherit'] });
      onTestFinished(() => void agent.kill('SIGKILL'));
      await expect.poll(watcher.listDown).toEqual([`key ${KEY_CODES.LeftControl}`, 'button 272', 'modifiers 4']);
      const startedAt = performance.now();
      agent.kill(signal);
      await expect.poll(watcher.listDown, { interval: 20 }).toEqual([]);
      // The guardian waits for 2 s whether a stopped agent continues.
      expect(performance.now() - startedAt).toBeLessThan(8000);
    });
  });
});
