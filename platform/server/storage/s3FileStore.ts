import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { ByteReader } from '../http/rangedParts.ts';
import { assertRegularFile, type FileStorage } from './fileStorage.ts';
import { FileNotFoundError, type FileStore, FileStoreError } from './fileStore.ts';
import type { S3Store } from './s3Store.ts';
import { readChunks } from './sha256.ts';

/** Folder of local copies, below `work`. */
const COPIES_FOLDER = 'copies';

interface S3FileStoreDeps {
  readonly store: S3Store;
  readonly createScratchFolder: FileStorage['createScratchFolder'];
  readonly log: FastifyBaseLogger;
}

/** Creates a function that reads chunks into buffers. */
function createChunkReader(chunks: AsyncGenerator<Uint8Array>): ByteReader['read'] {
  let unread: Uint8Array = new Uint8Array();
  return async (target, offset, length) => {
    while (unread.length === 0) {
      const next = await chunks.next();
      if (next.done === true) return { bytesRead: 0 };
      unread = next.value;
    }
    const bytes = unread.subarray(0, length);
    target.set(bytes, offset);
    unread = unread.subarray(bytes.length);
    return { bytesRead: bytes.length };
  };
}

/** Creates the store of finished files in an S3-compatible bucket. Each file is an object of the same name. */
export function createS3FileStore({ store, createScratchFolder, log }: S3FileStoreDeps): FileStore {
  /** @throws FileStoreError for everything that the bucket refuses or that does not reach it */
  async function access<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof FileNotFoundError) throw error;
      log.warn({ err: error, file: name }, 'files.store.failed');
      throw new FileStoreError(error);
    }
  }
  async function download(name: string, path: string): Promise<void> {
    const object = await store.open(name);
    if (!object) throw new FileNotFoundError(`${name} is missing in ${store.address}`);
    await pipeline(object.chunks, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  }

  return {
    importFile: async (from, name) => {
      await assertRegularFile(from);
      const { size } = await stat(from);
      await access(name, () => store.put(name, { open: () => readChunks(from), bytes: size }));
      await rm(from, { force: true });
    },
    find: (name) =>
      access(name, async () => {
        const object = await store.find(name);
        return object && { size: object.bytes, version: object.etag };
      }),
    open: (name, range) =>
      access(name, async () => {
        const object = await store.open(name, range);
        if (!object) return undefined;
        const { bytes, chunks, close } = object;
        const read = createChunkReader(chunks);
        return { size: bytes, close, read: (...place) => access(name, () => read(...place)) };
      }),
    list: (folder) =>
      access(folder, async () => {
        const names: string[] = [];
        for await (const { name } of store.list(folder))
          if (!name.slice(folder.length + 1).includes('/')) names.push(name);
        return names;
      }),
    rename: (from, to) =>
      access(to, async () => {
        await store.copy(from, to);
        await store.remove(from);
      }),
    remove: (name) => access(name, () => store.remove(name)),
    withLocalFile: async (name, work) => {
      // Programs read the format from the end of the name.
      const path = join(await createScratchFolder(COPIES_FOLDER), `${randomUUID()}-${basename(name)}`);
      try {
        await access(name, () => download(name, path));
        return await work(path);
      } finally {
        await rm(path, { force: true });
      }
    },
  };
}
