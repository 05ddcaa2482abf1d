import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RequestOf } from '#platform/contract/call.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { createSerialQueue } from '#platform/server/schedule/serialQueue.ts';
import { LOW_DISK_SPACE_MESSAGE } from '#platform/server/storage/diskSpace.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { CAPTURE_PART_BYTES, type sendcapture } from '../contract.ts';
import { deviceFolder } from './galleryFiles.ts';
import type { GalleryStore, Room } from './galleryStore.ts';
import { inboxFolder, type ReadyFile } from './inbox.ts';

const FOLDER_MODE = 0o700;
const PART = '.part';
/** A computer that does not go on with a recording for so long will not any more. */
const ABANDONED_AFTER_DAYS = 30;

interface Sender {
  readonly account: number;
  readonly device: number;
}

export interface Captures {
  /** Takes a part. Gives how much is there, and whether that is all of it. @throws Refusal */
  readonly take: (from: Sender, part: RequestOf<typeof sendcapture>) => Promise<{ offset: number; isWhole: boolean }>;
  /** Clears away parts that nobody goes on with. */
  readonly sweep: () => Promise<void>;
}

const sizeOf = async (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

const digestOf = async (path: string): Promise<string> => {
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
  readonly ground: Pick<ServerContext, 'files' | 'disk' | 'now' | 'database' | 'programs'>;
  readonly store: GalleryStore;
  readonly room: Room;
  /** Takes it on, in the transaction in which it is remembered as handed in. */
  readonly takeOn: (
    work: Parameters<Parameters<ServerContext['database']['transaction']>[0]>[0],
    found: ReadyFile,
  ) => Promise<void>;
}

/** Recordings that computers hand in, part by part: a broken line goes on where it broke. */
export function createCaptures({ ground, store, room, takeOn }: CapturesOptions): Captures {
  const { disk, database, programs, now } = ground;
  const inbox = inboxFolder(ground);
  const inTurn = createSerialQueue();

  const finish = async (from: Sender, path: string, { name, digest }: RequestOf<typeof sendcapture>): Promise<void> => {
    const absolute = join(inbox, path);
    if ((await digestOf(absolute)) !== digest) {
      await rm(absolute, { force: true });
      throw new Refusal('The recording did not arrive as it was sent; it is sent again');
    }
    const modifiedMs = now().epochMilliseconds;
    await database.transaction(async (work) => {
      await store.addCapture(work.tx, { ...from, name }, now());
      await takeOn(work, { account: from.account, path, name, modifiedMs, isCut: false });
    });
  };
  const takeInTurn = async (from: Sender, part: RequestOf<typeof sendcapture>) => {
    const { name, offset, size, data } = part;
    if (await store.hasCapture(from.device, name)) return { offset: size, isWhole: true };
    const below = deviceFolder(from.account, from.device);
    const path = join(below, `${name}${PART}`);
    const absolute = join(inbox, path);
    const there = await sizeOf(absolute);
    const bytes = Buffer.from(data, 'base64');
    if (bytes.length > CAPTURE_PART_BYTES) throw new Refusal('That part of a recording is too large');
    if (there < size && (bytes.length === 0 || offset !== there)) return { offset: there, isWhole: false };
    // Its computer keeps what could not be converted here.
    const lack = await programs.getSetupProblem('convert', from.account);
    if (lack !== '') throw new Refusal(lack);
    if (there < size) {
      if (there + bytes.length > size) throw new Refusal('That is more than the whole recording');
      if (!disk.canDownload()) throw new Refusal(LOW_DISK_SPACE_MESSAGE);
      await room.check(from.account, size - there);
      await mkdir(join(inbox, below), { recursive: true, mode: FOLDER_MODE });
      await append(absolute, bytes, there + bytes.length === size);
      if (there + bytes.length < size) return { offset: there + bytes.length, isWhole: false };
    }
    await finish(from, path, part);
    return { offset: size, isWhole: true };
  };

  return {
    take: (from, part) => inTurn(from.device, () => takeInTurn(from, part)),
    sweep: async () => {
      const before = now().subtract({ hours: 24 * ABANDONED_AFTER_DAYS });
      await store.sweepCaptures(before);
      const entries = await readdir(inbox, { recursive: true, withFileTypes: true }).catch(() => []);
      for (const entry of entries) {
        if (!entry.isFile() || !/^device-\d+$/.test(entry.parentPath.split('/').at(-1) ?? '')) continue;
        const path = join(entry.parentPath, entry.name);
        const about = entry.name.endsWith(`.mkv${PART}`) ? await stat(path).catch(() => undefined) : undefined;
        if (about && about.mtimeMs < before.epochMilliseconds) await rm(path, { force: true });
      }
    },
  };
}
