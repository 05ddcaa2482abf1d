import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RequestOf } from '#platform/contract/call.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { createKeyedQueue } from '#platform/contract/serialQueue.ts';
import { LOW_DISK_SPACE_MESSAGE } from '#platform/server/storage/diskSpace.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { CAPTURE_PART_BYTES, type sendcapture } from '../contract.ts';
import { deviceFolder } from './galleryFiles.ts';
import type { GalleryStore, Room } from './galleryStore.ts';
import { inboxFolder, type ReadyFile } from './inbox.ts';

const FOLDER_MODE = 0o700;
const PART = '.part';
/** An upload without progress for this long is abandoned. */
const ABANDONED_AFTER_DAYS = 30;

interface Sender {
  readonly account: number;
  readonly device: number;
}

export interface Captures {
  /**
   * Stores a part. Returns how much has arrived, and whether that is everything.
   * @throws Refusal
   */
  readonly take: (from: Sender, part: RequestOf<typeof sendcapture>) => Promise<{ offset: number; isWhole: boolean }>;
  /** Removes abandoned uploads. */
  readonly removeExpired: () => Promise<void>;
}

const getSize = async (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

const computeDigest = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
};

const append = async (path: string, bytes: Buffer, isLast: boolean): Promise<void> => {
  await using file = await open(path, 'a', 0o600);
  await file.writeFile(bytes);
  if (isLast) await file.sync();
};

interface CapturesOptions {
  readonly context: Pick<ServerContext, 'files' | 'disk' | 'now' | 'database' | 'programs'>;
  readonly store: GalleryStore;
  readonly room: Room;
  /** Adds the job, in the transaction that records the upload as complete. */
  readonly takeOn: (
    work: Parameters<Parameters<ServerContext['database']['transaction']>[0]>[0],
    found: ReadyFile,
  ) => Promise<void>;
}

/** Receives recordings from computers part by part; an interrupted upload continues where it stopped. */
export function createCaptures({ context, store, room, takeOn }: CapturesOptions): Captures {
  const { disk, database, programs, now } = context;
  const inbox = inboxFolder(context);
  const runSerially = createKeyedQueue();

  const finish = async (from: Sender, path: string, { name, digest }: RequestOf<typeof sendcapture>): Promise<void> => {
    const absolute = join(inbox, path);
    if ((await computeDigest(absolute)) !== digest) {
      await rm(absolute, { force: true });
      throw new Refusal('gallery.upload_damaged', 'The upload was damaged. The agent sends the recording again');
    }
    const modifiedMs = now().epochMilliseconds;
    await database.transaction(async (work) => {
      await store.addCapture(work.tx, { ...from, name }, now());
      await takeOn(work, { account: from.account, path, name, modifiedMs, isCut: false });
    });
  };
  const takePart = async (from: Sender, part: RequestOf<typeof sendcapture>) => {
    const { name, offset, size, data } = part;
    if (await store.hasCapture(from.device, name)) return { offset: size, isWhole: true };
    const folder = deviceFolder(from.account, from.device);
    const path = join(folder, `${name}${PART}`);
    const absolute = join(inbox, path);
    const received = await getSize(absolute);
    const bytes = Buffer.from(data, 'base64');
    if (bytes.length > CAPTURE_PART_BYTES)
      throw new Refusal('gallery.invalid_part', 'This part of the recording is too large');
    if (received < size && (bytes.length === 0 || offset !== received)) return { offset: received, isWhole: false };
    // The computer keeps what can't be converted here.
    const setupProblem = await programs.getSetupProblem('convert', from.account);
    if (setupProblem !== '') throw new Refusal('gallery.capture_needs_ffmpeg', setupProblem);
    if (received < size) {
      if (received + bytes.length > size)
        throw new Refusal('gallery.invalid_part', 'The upload is larger than announced');
      if (!disk.canStoreLargeFiles()) throw new Refusal('disk.low', LOW_DISK_SPACE_MESSAGE);
      await room.check(from.account, size - received);
      await mkdir(join(inbox, folder), { recursive: true, mode: FOLDER_MODE });
      await append(absolute, bytes, received + bytes.length === size);
      if (received + bytes.length < size) return { offset: received + bytes.length, isWhole: false };
    }
    await finish(from, path, part);
    return { offset: size, isWhole: true };
  };

  return {
    take: (from, part) => runSerially(from.device, () => takePart(from, part)),
    removeExpired: async () => {
      const cutoff = now().subtract({ hours: 24 * ABANDONED_AFTER_DAYS });
      await store.removeExpiredCaptures(cutoff);
      const entries = await readdir(inbox, { recursive: true, withFileTypes: true }).catch(() => []);
      for (const entry of entries) {
        if (!entry.isFile() || !/^device-\d+$/.test(entry.parentPath.split('/').at(-1) ?? '')) continue;
        const path = join(entry.parentPath, entry.name);
        const about = entry.name.endsWith(`.mkv${PART}`) ? await stat(path).catch(() => undefined) : undefined;
        if (about && about.mtimeMs < cutoff.epochMilliseconds) await rm(path, { force: true });
      }
    },
  };
}
