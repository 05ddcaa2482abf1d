import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { open, type Entry, type Options, type ZipFile } from 'yauzl';
import * as z from 'zod/mini';
import { Refusal } from '#platform/contract/refusal.ts';
import type { ImportFile, ImportSource } from '../tool.ts';
import { getErrorCode } from './errorCode.ts';
import { iterateJsonField } from './jsonFields.ts';

/**
 * Version of the format of exports. Increase it if servers of earlier versions can't import the new one.
 * 1: without a manifest. 2: with all that an import needs.
 */
export const EXPORT_FORMAT = 2;
export const MANIFEST_PATH = 'manifest.json';

const MAX_ENTRIES = 250_000;
/** Of names, comments and extra fields of all entries, which are in memory. */
const MAX_DIRECTORY_BYTES = 24 * 1024 ** 2;
const MAX_JSON_BYTES = 1024 ** 3;
/** Above this size, JSON that was compressed more than any export is refused, so that a small zip makes little work. */
const MAX_DENSE_JSON_BYTES = 16 * 1024 ** 2;
const MAX_COMPRESSION_RATIO = 200;
const JSON_PATH_PATTERN = /^([a-z]+)\.json$/;
const FILE_PATH_PATTERN = /^[a-z]+\/[\w-][\w./-]*$/;

const manifest = z.object({ format: z.int().check(z.positive()) });

const createDamagedRefusal = (cause: unknown): Refusal =>
  new Refusal('import.zip_damaged', 'This zip is damaged or incomplete. Export your data and choose the file again', {
    cause,
  });

/** Converts what the zip reader throws. Errors of the file system have a code, and stay faults. */
const toZipError = (error: unknown): unknown =>
  error instanceof Refusal || getErrorCode(error) !== '' ? error : createDamagedRefusal(error);

const openZip = promisify<string, Options, ZipFile>((path, options, callback) => open(path, options, callback));

/** An export of an account whose zip is on the disk. */
export interface ExportArchive extends AsyncDisposable {
  /** Names of the tools with data in it. */
  readonly tools: readonly string[];
  readonly getSource: (tool: string) => ImportSource;
}

const createTooManyFilesRefusal = (): Refusal => new Refusal('import.too_many_files', 'This zip has too many files');

const EMPTY = Buffer.alloc(0);

/** Lists the entries that can be imported by their paths. Only these paths are ever read, and none becomes a path. */
async function listEntries(zip: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  if (zip.entryCount > MAX_ENTRIES) throw createTooManyFilesRefusal();
  const entries = new Map<string, Entry>();
  let directoryBytes = 0;
  const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, Entry>>();
  zip.on('entry', (entry: Entry) => {
    const { fileName } = entry;
    directoryBytes += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
    if (directoryBytes > MAX_DIRECTORY_BYTES) {
      reject(createTooManyFilesRefusal());
      return;
    }
    if (entries.has(fileName)) {
      reject(new Refusal('import.duplicate_file', `This zip has two files called ${fileName}. Export your data again`));
      return;
    }
    // What is parsed already would take most of the memory.
    Object.assign(entry, { fileNameRaw: EMPTY, extraFieldRaw: EMPTY, fileCommentRaw: EMPTY, extraFields: [] });
    if (JSON_PATH_PATTERN.test(fileName) || FILE_PATH_PATTERN.test(fileName)) entries.set(fileName, entry);
    zip.readEntry();
  });
  zip.once('end', () => resolve(entries));
  zip.once('error', reject);
  zip.readEntry();
  return promise;
}

/** Reads an entry, and checks its length and checksum. */
async function* readEntry(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  let sum = 0;
  try {
    const stream = await promisify<Entry, Readable>((requested, callback) => zip.openReadStream(requested, callback))(
      entry,
    );
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      sum = crc32(chunk, sum);
      yield chunk;
    }
  } catch (error) {
    throw toZipError(error);
  }
  if (sum !== entry.crc32) throw createDamagedRefusal('wrong checksum');
}

/** Reads an entry with JSON. @throws Refusal if it is too large */
async function* readJson(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  const { uncompressedSize: bytes, compressedSize } = entry;
  const isDense = bytes > MAX_DENSE_JSON_BYTES && bytes > MAX_COMPRESSION_RATIO * compressedSize;
  if (isDense || bytes > MAX_JSON_BYTES) throw new Refusal('import.json_too_large', 'This part is too large');
  yield* readEntry(zip, entry);
}

async function checkFormat(json: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const format of iterateJsonField(json, 'format')) {
    if (!z.safeParse(manifest, { format }).success) throw createDamagedRefusal('invalid manifest');
    if (Number(format) > EXPORT_FORMAT)
      throw new Refusal(
        'import.newer_format',
        'This export was made by a newer version of Pegboard. Ask the owner of this server to update it',
      );
  }
}

/**
 * Opens the zip of an account's export. Its files are read one by one, so its size does not matter.
 * @throws Refusal if it is no export, is damaged, or was made by a newer version
 */
export async function openExportArchive(path: string): Promise<ExportArchive> {
  const options: Options = { lazyEntries: true, autoClose: false, validateEntrySizes: true };
  const zip = await openZip(path, options).catch((error: unknown) => {
    throw toZipError(error);
  });
  try {
    const entries = await listEntries(zip).catch((error: unknown) => {
      throw toZipError(error);
    });
    const find = (entryPath: string): ImportFile | undefined => {
      const entry = entries.get(entryPath);
      return entry && { bytes: entry.uncompressedSize, read: () => readEntry(zip, entry) };
    };
    const manifestEntry = entries.get(MANIFEST_PATH);
    if (manifestEntry) await checkFormat(readJson(zip, manifestEntry));
    const tools = [...entries.keys()].flatMap((entryPath) =>
      entryPath === MANIFEST_PATH ? [] : (JSON_PATH_PATTERN.exec(entryPath)?.[1] ?? []),
    );
    if (tools.length === 0)
      throw new Refusal(
        'import.no_export',
        'This zip is no export of Pegboard. Choose the file that “Export all data” has downloaded',
      );
    return {
      tools,
      getSource: (tool) => ({
        iterate: async function* (field) {
          const entry = entries.get(`${tool}.json`);
          if (entry) yield* iterateJsonField(readJson(zip, entry), field);
        },
        findFile: (filePath) => find(`${tool}/${filePath}`),
      }),
      [Symbol.asyncDispose]: async () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}
