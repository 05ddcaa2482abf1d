import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { Refusal } from '#platform/contract/refusal.ts';
import { hasErrorCode } from './errorCode.ts';
import { syncFolder } from './fileStorage.ts';
import { computeSha256, hashChunks, readChunks } from './sha256.ts';

/** An object in a store. */
export interface ObjectInfo {
  /** Path with slashes. */
  readonly name: string;
  readonly bytes: number;
}

/** Where an object comes from. It is opened again for each attempt to store it. */
export interface ObjectSource {
  readonly open: () => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;
  /** Decides into how many parts it is divided. */
  readonly bytes: number;
}

/** Objects by name, in a folder or in an S3-compatible store. No object is ever seen half written. */
export interface ObjectStore {
  /** For messages; without secrets. */
  readonly address: string;
  /** Stores an object, and replaces an earlier one of this name. The store verifies its checksum. */
  readonly put: (name: string, source: ObjectSource) => Promise<void>;
  /** Reads an object. @throws ObjectNotFoundError if there is none. */
  readonly get: (name: string) => AsyncIterable<Uint8Array>;
  readonly list: () => AsyncIterable<ObjectInfo>;
  /** Does nothing if there is none. */
  readonly remove: (name: string) => Promise<void>;
}

export class ObjectNotFoundError extends Error {
  override readonly name = 'ObjectNotFoundError';
}

const NAME_PATTERN = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/;
const PART_SUFFIX = '.part';

/** @throws Error unless a name has only our own characters, and no part that leads out of the store. */
export function assertObjectName(name: string): void {
  if (!NAME_PATTERN.test(name) || name.endsWith(PART_SUFFIX)) throw new Error(`'${name}' is no name of an object`);
}

/** Reads a whole object that is known to be small. */
export async function readObject(store: ObjectStore, name: string): Promise<Buffer> {
  return buffer(store.get(name));
}

/** Converts chunks to the stream that libraries expect. */
export function toWebStream(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  return NodeReadableStream.from(chunks) as ReadableStream as ReadableStream<Uint8Array>;
}

/** Returns a source of bytes in memory. */
export function createBytesSource(bytes: Uint8Array): ObjectSource {
  return { open: () => Readable.from([bytes]), bytes: bytes.length };
}

/**
 * Creates a store in a folder. The folder must exist: otherwise the disk that belongs there is probably not mounted,
 * and a new folder would fill the disk below it.
 */
export function createFolderStore(root: string): ObjectStore {
  async function assertRoot(): Promise<void> {
    const isFolder = (await stat(root).catch(() => undefined))?.isDirectory() === true;
    if (!isFolder)
      throw new Refusal('storage.folder_missing', `The folder ${root} does not exist. Mount its disk, or create it`);
  }
  function getPath(name: string): string {
    assertObjectName(name);
    return join(root, ...name.split('/'));
  }
  async function* walk(folder: string): AsyncGenerator<ObjectInfo> {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) yield* walk(name);
      else if (entry.isFile() && !name.endsWith(PART_SUFFIX))
        yield { name, bytes: (await stat(join(root, name))).size };
    }
  }

  return {
    address: root,
    put: async (name, { open }) => {
      await assertRoot();
      const path = getPath(name);
      const partPath = path + PART_SUFFIX;
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      try {
        let written: string | undefined;
        const chunks = hashChunks(await open(), (sha256) => {
          written = sha256;
        });
        await pipeline(chunks, createWriteStream(partPath, { mode: 0o600, flush: true }));
        if ((await computeSha256(partPath)) !== written)
          throw new Error(`${partPath} was not stored correctly. Check that disk`);
        await rename(partPath, path);
        await syncFolder(dirname(path));
      } catch (error) {
        await rm(partPath, { force: true });
        throw error;
      }
    },
    get: async function* get(name) {
      await assertRoot();
      try {
        yield* readChunks(getPath(name));
      } catch (error) {
        if (hasErrorCode(error, 'ENOENT')) throw new ObjectNotFoundError(`${root} has no ${name}`, { cause: error });
        throw error;
      }
    },
    list: async function* list() {
      await assertRoot();
      yield* walk('');
    },
    remove: async (name) => {
      await assertRoot();
      await rm(getPath(name), { force: true });
    },
  };
}
