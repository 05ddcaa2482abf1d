import { once } from 'node:events';
import { closeSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '#platform/contract/refusal.ts';
import type { ScreenRegion } from '../drivers.ts';
import { openLibc } from '../native/libc.ts';
import { FRAME_RATE, type ScreenSource } from '../screenCapture.ts';
import type { WaylandConnection, WaylandObject } from './connection.ts';

const WITH_POINTER = 1;
const FLIPPED = 1;
/** Pixel formats of `wl_shm` by ffmpeg's names. */
const PIXEL_FORMATS: Readonly<Record<number, string>> = {
  0: 'bgr0',
  1: 'bgr0',
  0x34324258: 'rgb0',
  0x34324241: 'rgb0',
};
const PIXEL_BYTES = 4;
const FRAME_INTERVAL_MS = 1000 / FRAME_RATE;

const createFailedRefusal = (): Refusal =>
  new Refusal('capture.failed', 'Could not record the screen: the desktop of that computer gives no pictures');

/** How a picture is stored in memory. */
interface PictureFormat {
  readonly format: number;
  readonly width: number;
  readonly height: number;
  /** Bytes of a row. */
  readonly stride: number;
}
interface Picture extends PictureFormat {
  readonly isFlipped: boolean;
  readonly data: Buffer;
}

/** Takes pictures of the first output. */
type TakePicture = () => Promise<Picture>;

interface CameraObjects {
  readonly manager: WaylandObject<'zwlr_screencopy_manager_v1'>;
  readonly output: WaylandObject<'wl_output'>;
  readonly shm: WaylandObject<'wl_shm'>;
}

/** Lets the compositor write a picture into a file in memory, and reads it. */
async function copyPicture(
  connection: WaylandConnection,
  shm: WaylandObject<'wl_shm'>,
  { format, width, height, stride }: PictureFormat,
  copy: (buffer: WaylandObject<'wl_buffer'>) => Promise<void>,
): Promise<Buffer> {
  const libc = openLibc();
  const data = Buffer.alloc(stride * height);
  const file = libc.createMemoryFile(data);
  const pool = connection.create('wl_shm_pool');
  shm.send('create_pool', pool, libc.duplicate(file), data.length);
  const buffer = connection.create('wl_buffer');
  pool.send('create_buffer', buffer, 0, width, height, stride, format);
  pool.send('destroy');
  try {
    await copy(buffer);
    readSync(file, data, 0, data.length, 0);
    return data;
  } finally {
    buffer.send('destroy');
    closeSync(file);
  }
}

function createCamera(connection: WaylandConnection, { manager, output, shm }: CameraObjects): TakePicture {
  return async () => {
    const described = Promise.withResolvers<PictureFormat>();
    const copied = Promise.withResolvers<void>();
    copied.promise.catch(() => undefined); // awaited later
    let isFlipped = false;
    function fail(): void {
      described.reject(createFailedRefusal());
      copied.reject(createFailedRefusal());
    }
    const frame = connection.create('zwlr_screencopy_frame_v1', {
      buffer: (format, width, height, stride) => {
        if (format in PIXEL_FORMATS) described.resolve({ format, width, height, stride });
      },
      // Without a known format until now, there is none.
      buffer_done: () => described.reject(createFailedRefusal()),
      flags: (flags) => void (isFlipped = (flags & FLIPPED) !== 0),
      ready: () => copied.resolve(),
      failed: fail,
    });
    manager.send('capture_output', frame, WITH_POINTER, output);
    const removeListener = connection.onClosed(fail);
    try {
      const format = await described.promise;
      const data = await copyPicture(connection, shm, format, async (buffer) => {
        frame.send('copy', buffer);
        await copied.promise;
      });
      return { ...format, isFlipped, data };
    } finally {
      removeListener();
      frame.send('destroy');
    }
  };
}

/** Returns what opens the screen of a compositor that lets programs take pictures; undefined if it does not. */
export function findScreenSource(connection: WaylandConnection): (() => Promise<ScreenSource>) | undefined {
  // Older versions don't say when all formats are known.
  if (connection.getVersion('zwlr_screencopy_manager_v1') < 3) return undefined;
  const manager = connection.bind('zwlr_screencopy_manager_v1', 3);
  const output = connection.bind('wl_output', 1);
  const shm = connection.bind('wl_shm', 1);
  if (!manager || !output || !shm) return undefined;
  const takePicture = createCamera(connection, { manager, output, shm });
  return async () => {
    const { width, height, format, isFlipped } = await takePicture();
    return {
      width,
      height,
      listInputArgs: (region) =>
        [
          ['-f', 'rawvideo', '-pixel_format', PIXEL_FORMATS[format] ?? ''],
          ['-video_size', `${region.width}x${region.height}`, '-framerate', String(FRAME_RATE)],
          // Pictures count when they arrive: a busy computer takes fewer of them.
          ['-use_wallclock_as_timestamps', '1', '-i', 'pipe:0', '-fps_mode', 'vfr'],
          isFlipped ? ['-vf', 'vflip'] : [],
        ].flat(),
      writePictures: async (input, region, signal) => {
        let nextAt = performance.now();
        while (!signal.aborted) {
          const picture = await takePicture();
          // The file has pictures of one size.
          if (picture.width !== width || picture.height !== height) throw createFailedRefusal();
          const pixels = cutRegion(picture, region);
          if (!input.write(pixels)) await once(input, 'drain', { signal }).catch(() => undefined); // ended
          nextAt = Math.max(nextAt + FRAME_INTERVAL_MS, performance.now());
          await sleep(Math.max(0, nextAt - performance.now()));
        }
      },
    };
  };
}

/**
 * Returns the pixels of a part of a picture, without what fills up each row. Compositors cut pictures too, but in units
 * that are larger than pixels on a scaled screen.
 */
export function cutRegion(
  { data, stride, height: pictureHeight, isFlipped }: Pick<Picture, 'data' | 'stride' | 'height' | 'isFlipped'>,
  { x, y, width, height }: ScreenRegion,
): Buffer {
  const top = isFlipped ? pictureHeight - y - height : y;
  const [rowStart, rowBytes] = [x * PIXEL_BYTES, width * PIXEL_BYTES];
  if (rowBytes === stride) return data.subarray(top * stride, (top + height) * stride);
  const rows = Array.from({ length: height }, (_, row) => {
    const start = (top + row) * stride + rowStart;
    return data.subarray(start, start + rowBytes);
  });
  return Buffer.concat(rows);
}
