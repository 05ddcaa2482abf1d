import { renameSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DBusMessage, SessionBus } from '@homebridge/dbus-native';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Ability, CaptureDriver, ScreenRecording, ScreenRegion } from '../drivers.ts';
import { getMaxRecordingBytes } from '../screenCapture.ts';
import { callBusForAll, getBusProperty, matchSignals, onBusEnd, START_TIMEOUT_MS } from '../sessionBus.ts';

const SCREENCAST = {
  destination: 'org.gnome.Shell.Screencast',
  path: '/org/gnome/Shell/Screencast',
  interface: 'org.gnome.Shell.Screencast',
} as const;
const FRAMERATE = 30;
/** VP8 in WebM, which is Matroska, whatever the default of this version of GNOME is. */
const PIPELINE =
  'videoconvert chroma-mode=none dither=none matrix-mode=output-only n-threads=%T ! queue ! vp8enc cpu-used=16 max-quantizer=17 deadline=1 keyframe-mode=disabled threads=%T static-threshold=1000 buffer-size=20000 ! queue ! webmmux';
/** Must be shorter than the device command timeout of five seconds. */
const START_CALL_TIMEOUT_MS = 4500;
/** GNOME limits neither the size of a recording nor the disk that it fills. */
const SIZE_CHECK_INTERVAL_MS = 1000;
const STOP_TIMEOUT_MS = 60_000;
/** A login may keep the computer too busy for an answer. */
const MAX_CHECKS = 4;

const UNSUPPORTED_MESSAGE =
  "GNOME can't record the screen of that computer. Run there: apt-get install gjs gstreamer1.0-pipewire gstreamer1.0-plugins-good";
const FAILED_MESSAGE = 'Could not record the screen: GNOME did not start the recording. Try again';
const TOO_LARGE_REASON = 'it reached the maximum size, or the disk is nearly full';
const EMPTY_REASON = 'nothing moved on the screen';
const ENDED_REASON = 'GNOME ended the recording';

/** Returns 0 if the file does not exist yet. */
function getFileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** The screen recorder of GNOME Shell. A recording ends with the agent, and is complete then. */
export interface GnomeCapture extends CaptureDriver {
  /** Resolves with whether GNOME can record, once GNOME has answered. */
  readonly whenKnown: Promise<boolean>;
}

const stopScreencast = (bus: SessionBus): Promise<unknown> =>
  callBusForAll(bus, { ...SCREENCAST, member: 'StopScreencast' }, STOP_TIMEOUT_MS);

/** Starts a recording. @throws Refusal if GNOME doesn't. */
async function startScreencast(bus: SessionBus, path: string, region: ScreenRegion | undefined): Promise<string> {
  // The file name is a template.
  const template = path.replaceAll('%', '%%');
  const options = [
    ['framerate', ['i', FRAMERATE]],
    ['draw-cursor', ['b', true]],
    ['pipeline', ['s', PIPELINE]],
  ];
  const call = region
    ? {
        member: 'ScreencastArea',
        signature: 'iiiisa{sv}',
        body: [region.x, region.y, region.width, region.height, template, options],
      }
    : { member: 'Screencast', signature: 'sa{sv}', body: [template, options] };
  const starting = callBusForAll(bus, { ...SCREENCAST, ...call }, STOP_TIMEOUT_MS);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timeout = setTimeout(() => reject(new Error('the recorder did not answer')), START_CALL_TIMEOUT_MS);
  try {
    const [isStarted, usedPath] = await Promise.race([starting, late]);
    if (isStarted !== true) throw new Error('the recorder did not start');
    return String(usedPath);
  } catch (cause) {
    // A recording that starts late would go on, and GNOME would refuse all others.
    starting.then(([isStarted]) => (isStarted === true ? stopScreencast(bus) : undefined)).catch(() => undefined);
    throw new Refusal('capture.failed', FAILED_MESSAGE, { cause });
  } finally {
    clearTimeout(timeout);
  }
}

async function isScreencastSupported(bus: SessionBus): Promise<boolean> {
  const value = await getBusProperty(bus, SCREENCAST, 'ScreencastSupported', START_TIMEOUT_MS).catch(() => false);
  return value === true;
}

/** Opens the screen recorder. */
export function openGnomeCapture(bus: SessionBus): GnomeCapture {
  let ability: Ability = { able: false, reason: UNSUPPORTED_MESSAGE };
  /** Ends the recording. */
  let handleEnd: (() => void) | undefined;
  onBusEnd(bus, () => handleEnd?.());
  async function check(): Promise<boolean> {
    for (let attempt = 0; attempt < MAX_CHECKS && !ability.able; attempt++)
      if (await isScreencastSupported(bus)) ability = { able: true };
    return ability.able;
  }

  function watchRecording(path: string, usedPath: string, maxBytes: number): ScreenRecording {
    const { promise: whenEnded, resolve } = Promise.withResolvers<string | undefined>();
    let stopping: Promise<void> | undefined;
    function handleMessage({ member, body = [] }: DBusMessage): void {
      const isGone = member === 'NameOwnerChanged' && body[0] === SCREENCAST.destination && body[2] === '';
      if (isGone) void stop(ENDED_REASON);
    }
    async function end(reason: string | undefined): Promise<void> {
      clearInterval(sizeTimer);
      await stopScreencast(bus).catch(() => undefined); // the recorder has ended
      bus.connection.off('message', handleMessage);
      // GNOME writes nothing before the first frame, and a screen on which nothing moves has none.
      const isEmpty = getFileSize(usedPath) === 0;
      if (usedPath !== path && !isEmpty) renameSync(usedPath, path);
      resolve(isEmpty ? EMPTY_REASON : reason);
    }
    const stop = (reason: string | undefined): Promise<void> => (stopping ??= end(reason));
    const sizeTimer = setInterval(() => {
      if (getFileSize(usedPath) >= maxBytes) void stop(TOO_LARGE_REASON);
    }, SIZE_CHECK_INTERVAL_MS);
    bus.connection.on('message', handleMessage);
    handleEnd = () => void stop(ENDED_REASON);
    return { whenEnded, stop: () => stop(undefined) };
  }

  return {
    get ability() {
      return ability;
    },
    whenKnown: check(),
    start: async (path, region) => {
      if (!ability.able) throw new Refusal('capture.unsupported', ability.reason);
      const { bavail, bsize } = await statfs(dirname(path));
      const maxBytes = getMaxRecordingBytes(bavail * bsize);
      await matchSignals(
        bus,
        `type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='${SCREENCAST.destination}'`,
      );
      const usedPath = await startScreencast(bus, path, region);
      return watchRecording(path, usedPath, maxBytes);
    },
  };
}
