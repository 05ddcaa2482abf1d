import type { ByteRange, RangedFile } from '#platform/contract/call.ts';
import { type BytePart, type ByteReader, createRangedFile } from '../http/rangedParts.ts';

/** What is known of a stored file without reading it. */
export interface StoredFile {
  readonly size: number;
  /** Differs after the file was replaced. */
  readonly version: string;
}

/** A part of a file that is being read. */
export interface OpenedFile extends ByteReader {
  /** Size of the whole file. */
  readonly size: number;
}

/**
 * Finished files by name, such as `pictures/812.png`, in a folder or in an S3-compatible store. A file is complete from
 * the moment its name exists. The methods throw FileStoreError if the store does not work.
 */
export interface FileStore {
  /** Moves a finished file from an absolute path to its name, durably. Refuses everything but regular files. */
  readonly importFile: (from: string, name: string) => Promise<void>;
  /** Undefined if it is missing or not a regular file. */
  readonly find: (name: string) => Promise<StoredFile | undefined>;
  /** Opens a file to read a range in order. Undefined if it is missing, or ends before the range begins. */
  readonly open: (name: string, range: ByteRange) => Promise<OpenedFile | undefined>;
  /** Lists the names of our own regular files in a folder, such as `pictures/812.png`. */
  readonly list: (folder: string) => Promise<readonly string[]>;
  /** Replaces a file of the new name. */
  readonly rename: (from: string, to: string) => Promise<void>;
  /** Does nothing if the file is missing. */
  readonly remove: (name: string) => Promise<void>;
  /**
   * Runs work that needs a path, such as a program. The file must not be changed, and may be a copy that exists only
   * meanwhile. @throws FileNotFoundError if it is missing.
   */
  readonly withLocalFile: <T>(name: string, work: (path: string) => Promise<T>) => Promise<T>;
}

/** The file is missing, or shorter than its row says. */
export class FileNotFoundError extends Error {
  override readonly name = 'FileNotFoundError';
}

/** What users read if the store does not work. */
export const FILE_STORE_MESSAGE =
  "The file storage of this server doesn't work at the moment. Try again later, or tell the owner of this server";

/** Answer to everything that needed the store. */
export const fileStoreAnswer = { message: FILE_STORE_MESSAGE, code: 'files.unavailable' } as const;

/** The store cannot be reached, or refuses to do its work. The cause is for the owner. */
export class FileStoreError extends Error {
  override readonly name = 'FileStoreError';
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/**
 * Creates a part with the content of a file. It is the first one of these names that has the size.
 * @throws FileNotFoundError while it is read, if there is none
 */
export function createStoredPart(store: Pick<FileStore, 'open'>, names: readonly string[], size: number): BytePart {
  return {
    size,
    open: async (range) => {
      for (const name of names) {
        const file = await store.open(name, range);
        if (file?.size === size) return file;
        await file?.close();
      }
      throw new FileNotFoundError(`${names[0]} is missing or truncated`);
    },
  };
}

/** Opens a file for range requests; undefined if it is missing. */
export async function openRangedFile(
  store: Pick<FileStore, 'find' | 'open'>,
  name: string,
): Promise<RangedFile | undefined> {
  const file = await store.find(name);
  if (!file) return undefined;
  return createRangedFile([createStoredPart(store, [name], file.size)], `${file.size.toString(36)}-${file.version}`);
}

/** Reads a whole file: the first one of these names that has the size. */
export async function* readStoredFile(
  store: Pick<FileStore, 'open'>,
  names: readonly string[],
  size: number,
): AsyncGenerator<Uint8Array> {
  const file = createRangedFile([createStoredPart(store, names, size)], '');
  // Copied, because the memory of a chunk is reused, and a zip has several at the same time.
  for await (const chunk of file.read({ from: 0, to: size - 1 })) yield Buffer.from(chunk);
}
