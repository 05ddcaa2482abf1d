import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFakeMac, type FakeMac } from '#testing/kits/desktop/mac.ts';
import { findProgram, getSkipReason } from '#testing/machine.ts';
import type { Ability, CaptureDriver } from '../drivers.ts';
import { openFrameworks } from './frameworks.ts';
import { createMacCapture } from './screenRecording.ts';

const skipReason = getSkipReason('gcc', 'ffmpeg');

/** Runs the real ffmpeg with a test picture instead of the screen of a Mac; all other arguments stay. */
const FFMPEG_SCRIPT = `
for argument in "$@"; do
  shift
  case "$argument" in avfoundation) argument=lavfi;; 'Capture screen 0:none') argument=testsrc=size=2880x1800;; esac
  case "$argument" in -pixel_format|-framerate|-capture_cursor) skip=1; continue;; esac
  [ -z "$skip" ] && set -- "$@" "$argument"
  skip=
done
exec ${findProgram('ffmpeg') ?? 'ffmpeg'} "$@"`;

function createCapture(mac: FakeMac, permission: Ability): CaptureDriver {
  const env = mac.createProgram('ffmpeg', FFMPEG_SCRIPT);
  return createMacCapture({ env, frameworks: openFrameworks(mac.libraries), getPermission: () => permission });
}

describe.skipIf(skipReason)(`recording${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  test('a part of the screen is recorded in the pixels that were requested', async () => {
    using mac = createFakeMac();
    const path = join(mac.folder, 'screen.mkv');
    const recording = await createCapture(mac, { able: true }).start(path, { x: 11, y: 20, width: 641, height: 480 });
    await recording.stop();
    expect(await recording.whenEnded).toBeUndefined();
    const args = ['-v', 'error', '-show_entries', 'stream=width,height,codec_name', '-of', 'csv=p=0', path];
    expect(spawnSync('ffprobe', args, { encoding: 'utf8' }).stdout.trim()).toBe('h264,640,480');
    expect(mac.readProgramFile('ffmpeg.args')).toContain('avfoundation\n-pixel_format\nuyvy422\n-framerate\n30\n');
  });

  test('what is missing is named: a region on the screen, the permission, ffmpeg', async () => {
    using mac = createFakeMac();
    const path = join(mac.folder, 'screen.mkv');
    const able = createCapture(mac, { able: true });
    await expect(able.start(path, { x: 2800, y: 0, width: 100, height: 100 })).rejects.toThrow('2880x1800 pixels');
    const reason = 'Switch it on';
    await expect(createCapture(mac, { able: false, reason }).start(path, undefined)).rejects.toThrow(reason);
    const frameworks = openFrameworks(mac.libraries);
    const bare = createMacCapture({ env: { PATH: mac.folder }, frameworks, getPermission: () => ({ able: true }) });
    expect(bare.ability).toEqual({ able: false, reason: expect.stringContaining('brew install ffmpeg') });
  });
});
