import { Refusal } from '#platform/contract/refusal.ts';
import type { Ability, CaptureDriver, ScreenRegion } from '../drivers.ts';
import { FRAME_RATE, openCaptureDriver, type ScreenSource } from '../screenCapture.ts';
import type { MacFrameworks } from './frameworks.ts';

const NO_FFMPEG_MESSAGE = 'Recording needs ffmpeg on that computer. Run there: brew install ffmpeg';
/** AVFoundation names the main screen like this, after the cameras. */
const MAIN_SCREEN = 'Capture screen 0:none';

/** Returns ffmpeg's arguments for a part of the main screen. AVFoundation records all of it, so ffmpeg cuts it. */
export function listScreenInputArgs({ x, y, width, height }: ScreenRegion): readonly string[] {
  return [
    ['-f', 'avfoundation', '-pixel_format', 'uyvy422', '-framerate', String(FRAME_RATE), '-capture_cursor', '1'],
    ['-i', MAIN_SCREEN, '-vf', `crop=${width}:${height}:${x}:${y}`],
  ].flat();
}

/** Returns the main screen. Its size is in pixels: a Retina screen has four for each point. */
export function readMainScreen({ graphics, foundation }: Pick<MacFrameworks, 'graphics' | 'foundation'>): ScreenSource {
  const mode = graphics.CGDisplayCopyDisplayMode(graphics.CGMainDisplayID());
  if (mode === 0n) throw new Refusal('capture.failed', 'That Mac has no screen to record. Connect one');
  try {
    return {
      width: Number(graphics.CGDisplayModeGetPixelWidth(mode)),
      height: Number(graphics.CGDisplayModeGetPixelHeight(mode)),
      listInputArgs: listScreenInputArgs,
    };
  } finally {
    foundation.CFRelease(mode);
  }
}

export interface MacRecordingOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly frameworks: Pick<MacFrameworks, 'graphics' | 'foundation'>;
  /** Whether macOS permits it. */
  readonly getPermission: () => Ability;
}

/** Records the main screen with ffmpeg. */
export function createMacCapture({ env, frameworks, getPermission }: MacRecordingOptions): CaptureDriver {
  const capture = openCaptureDriver({ env, openScreen: async () => readMainScreen(frameworks) });
  function getAbility(): Ability {
    if (!capture.ability.able) return { able: false, reason: NO_FFMPEG_MESSAGE };
    return getPermission();
  }
  return {
    get ability() {
      return getAbility();
    },
    start: async (path, region) => {
      const ability = getAbility();
      if (!ability.able) throw new Refusal('capture.unsupported', ability.reason);
      return capture.start(path, region);
    },
  };
}
