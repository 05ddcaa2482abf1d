import { constants } from 'node:fs';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RequestOf } from '#platform/contract/call.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { createKeyedQueue } from '#platform/contract/serialQueue.ts';
import type { UnitOfWork } from '#platform/server/database/database.ts';
import { LOW_DISK_SPACE_MESSAGE } from '#platform/server/storage/diskSpace.ts';
import { computeSha256 } from '#platform/server/storage/sha256.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { CAPTURE_PART_BYTES, type sendcapture } from '../contract.ts';
import { getDeviceFolder } from './galleryFiles.ts';
import type { GalleryStore, Quota } from './galleryStore.ts';
import { getInboxPath, type ReadyFile } from './inbox.ts';

const FOLDER_MODE = 0o700;
const PART_EXTENSION = '.part';
/** Uploads without progress for this long are removed. */
const UPLOAD_RETENTION_DAYS = 30;

interface Sender {
  readonly account: number;
  readonly device: number;
}

export interface Captures {
  /**
   * Stores a part. Returns the number of received bytes, and whether the recording is complete.
   * @throws Refusal
   */
  readonly receive: (
    sender: Sender,
    part: RequestOf<typeof sendcapture>,
  ) => Promise<{ offset: number; isWhole: boolean }>;
  /** Removes abandoned uploads. */
  readonly removeExpired: () => Promise<void>;
}

const getSize = async (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

interface PartPlace {
  readonly offset: number;
  readonly isLast: boolean;
}

/** Writes a part. Two instances that receive the same one write the same bytes. */
async function writePart(path: string, bytes: Buffer, { offset, isLast }: PartPlace): Promise<void> {
  await using file = await open(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  for (let done = 0; done < bytes.length;)
    done += (await file.write(bytes, done, bytes.length - done, offset + done)).bytesWritten;
  if (isLast) await file.sync();
}

interface CapturesOptions {
  readonly context: Pick<ServerContext, 'files' | 'disk' | 'now' | 'database' | 'programs'>;
  readonly store: GalleryStore;
  readonly quota: Quota;
  /** Queues the job, in the transaction that records the upload as complete. */
  readonly queueJob: (work: UnitOfWork, file: ReadyFile) => Promise<void>;
}

/** Receives recordings from computers in parts. An interrupted upload continues where it stopped. */
export function createCaptures({ context, store, quota, queueJob }: CapturesOptions): Captures {
  const { disk, database, programs, now } = context;
  const inbox = getInboxPath(context);
  const runSerially = createKeyedQueue();

  async function finish(sender: Sender, path: string, { name, digest }: RequestOf<typeof sendcapture>): Promise<void> {
    const absolutePath = join(inbox, path);
    if ((await computeSha256(absolutePath)) !== digest) {
      await rm(absolutePath, { force: true });
      throw new Refusal('gallery.upload_damaged', 'The upload was damaged. The agent sends the recording again');
    }
    const modifiedMs = now().epochMilliseconds;
    await database.transaction(async (work) => {
      await store.insertCapture(work.tx, { ...sender, name }, now());
      await queueJob(work, { account: sender.account, path, name, modifiedMs, isCut: false });
    });
  }
  async function receivePart(sender: Sender, part: RequestOf<typeof sendcapture>) {
    const { name, offset, size, data } = part;
    if (await store.hasCapture(sender.device, name)) return { offset: size, isWhole: true };
    const folder = getDeviceFolder(sender.account, sender.device);
    const path = join(folder, `${name}${PART_EXTENSION}`);
    const absolutePath = join(inbox, path);
    const received = await getSize(absolutePath);
    const bytes = Buffer.from(data, 'base64');
    if (bytes.length > CAPTURE_PART_BYTES)
      throw new Refusal('gallery.invalid_part', 'This part of the recording is too large');
    if (received < size && (bytes.length === 0 || offset !== received)) return { offset: received, isWhole: false };
    // Without ffmpeg on the server, recordings stay on the computer.
    const setupProblem = await programs.getSetupProblem('convert', sender.account);
    if (setupProblem !== '') throw new Refusal('gallery.capture_needs_ffmpeg', setupProblem);
    if (received < size) {
      if (received + bytes.length > size)
        throw new Refusal('gallery.invalid_part', 'The upload is larger than announced');
      if (!disk.canStoreLargeFiles()) throw new Refusal('disk.low', LOW_DISK_SPACE_MESSAGE);
      await quota.checkSpace(sender.account, size - received);
      await mkdir(join(inbox, folder), { recursive: true, mode: FOLDER_MODE });
      await writePart(absolutePath, bytes, { offset: received, isLast: received + bytes.length === size });
      if (received + bytes.length < size) return { offset: received + bytes.length, isWhole: false };
    }
    await finish(sender, path, part);
    return { offset: size, isWhole: true };
  }

  return {
    receive: (sender, part) => runSerially(sender.device, () => receivePart(sender, part)),
    removeExpired: async () => {
      const cutoff = now().subtract({ hours: 24 * UPLOAD_RETENTION_DAYS });
      await store.removeExpiredCaptures(cutoff);
      const entries = await readdir(inbox, { recursive: true, withFileTypes: true }).catch(() => []);
      for (const entry of entries) {
        if (!entry.isFile() || !/^device-\d+$/.test(entry.parentPath.split('/').at(-1) ?? '')) continue;
        const path = join(entry.parentPath, entry.name);
        const stats = entry.name.endsWith(`.mkv${PART_EXTENSION}`)
          ? await stat(path).catch(() => undefined)
          : undefined;
        if (stats && stats.mtimeMs < cutoff.epochMilliseconds) await rm(path, { force: true });
      }
    },
  };
}
