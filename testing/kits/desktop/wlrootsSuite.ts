import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openLibc } from '#platform/agent/drivers/native/libc.ts';
import {
  connectWayland,
  getWaylandSocketPath,
  type WaylandObject,
} from '#platform/agent/drivers/wayland/connection.ts';
import { startAgentProcess, waitForGuardian } from './agentProcess.ts';
import { openFocusedWindow, typeAndRead, type TestSession } from './sessionSuite.ts';
import { openInputWatcher, type WlrootsDesktop } from './sway.ts';
import { KEY_CODES } from './virtualDesktop.ts';

/** Defines the tests of what every wlroots compositor can do, in addition to those of `testSession`. */
export function testWlrootsSession(subject: TestSession<WlrootsDesktop>): void {
  test('keys and inserted texts arrive in order in a slow program', async () => {
    const { session } = subject;
    await using window = await openFocusedWindow(subject, 'gtk');
    const typing = session.keyboard.type('👋\t👋\n👋');
    await expect.poll(window.getText, { interval: 5 }).not.toBe('');
    window.child.kill('SIGSTOP');
    await sleep(300);
    window.child.kill('SIGCONT');
    await typing;
    await expect.poll(window.getText).toBe('👋\t👋\n👋');
  });

  test('programs that never answer, or never read, block nothing', async () => {
    const { desktop, session } = subject;
    await using other = await connectWayland(getWaylandSocketPath(desktop.env));
    const seat = other.bind('wl_seat', 5);
    const manager = other.bind('zwlr_data_control_manager_v1', 2);
    if (!seat || !manager) throw new Error('the compositor has no clipboard');
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

    const offerCount = offers.length;
    await session.clipboard.write('x'.repeat(200_000));
    await expect.poll(() => other.sync().then(() => offers.length)).toBeGreaterThan(offerCount);
    const readEnds = Array.from({ length: 5 }, () => {
      const { readEnd, writeEnd } = openLibc().createPipe();
      offers.at(-1)?.send('receive', 'text/plain', writeEnd);
      return readEnd;
    });
    await other.sync();
    expect(await readFile(import.meta.filename, 'utf8')).toContain('never read');
    for (const readEnd of readEnds) openLibc().close(readEnd);
    expect(await desktop.pasteText()).toHaveLength(200_000);
  });

  test('the screen, or a part of it, is recorded as a video that can be played', async () => {
    const { session } = subject;
    const path = join(subject.folder, 'recording.mkv');
    const recording = await session.capture.start(path, { x: 10, y: 20, width: 321, height: 200 });
    await using window = await openFocusedWindow(subject, 'foot');
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

  test.each(['SIGKILL', 'SIGSTOP'] as const)('what an agent holds is released after %s', async (signal) => {
    const { desktop } = subject;
    await desktop.setLayout('us');
    await using watcher = await openInputWatcher(desktop);
    const { child } = await startAgentProcess(
      subject,
      `await session.keyboard.holdModifiers(['Ctrl']);
      session.mouse.centre();
      session.mouse.button('left', true);`,
    );
    await expect.poll(watcher.listDown).toEqual([`key ${KEY_CODES.LeftControl}`, 'button 272', 'modifiers 4']);
    await waitForGuardian(child);
    child.kill(signal);
    await expect.poll(watcher.listDown).toEqual([]);
  });
}
