import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import * as z from 'zod/mini';
import { parseIso } from '#platform/contract/day.ts';
import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import type { ImportFile, ImportSource } from '../tool.ts';
import { LOW_DISK_SPACE_MESSAGE, type DiskSpace } from './diskSpace.ts';
import type { FileChecksum, FileStorage } from './fileStorage.ts';

/** A time of an export. The output is in milliseconds since the epoch. */
export const exportedTime = z.pipe(
  z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?Z$/)),
  z.pipe(
    z.transform((text: string) => Date.parse(text)),
    z.number(),
  ),
);

/** A date of an export, in the years 1 to 9999. The output is a day. */
export const exportedDay = z.pipe(
  z.pipe(
    z.string(),
    z.transform((text: string) => parseIso(text)),
  ),
  z.int(),
);

/** A text of an export, in which characters that databases can't store are replaced. */
export const exportedText = (maxCodePoints: number) =>
  z.pipe(
    z.string().check(z.refine((text) => countCodePoints(text) <= maxCodePoints)),
    z.transform((text: string) => replaceUnstorable(text)),
  );

/**
 * Yields the parsed items of a list in a tool's JSON, or the parsed value of a field.
 * @throws Refusal naming the item that does not fit the schema
 */
export async function* iterateParsed<Schema extends z.ZodMiniType>(
  { iterate }: Pick<ImportSource, 'iterate'>,
  field: string,
  schema: Schema,
): AsyncGenerator<z.output<Schema>> {
  let count = 0;
  for await (const value of iterate(field)) {
    count += 1;
    const result = z.safeParse(schema, value);
    if (!result.success) {
      const [issue] = result.error.issues;
      const place = [field, count, ...(issue?.path ?? [])].join('.');
      throw new Refusal('import.entry_invalid', `This part is damaged at ${place}`, { cause: result.error });
    }
    yield result.data;
  }
}

/** Reads a field that is no list, or whose list has at most one item. Undefined if it is missing. */
export async function readParsed<Schema extends z.ZodMiniType>(
  source: Pick<ImportSource, 'iterate'>,
  field: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  let last: z.output<Schema> | undefined;
  for await (const value of iterateParsed(source, field, schema)) last = value;
  return last;
}

/** Collects items in batches, so that each statement writes many rows. */
export async function* iterateBatches<T>(items: AsyncIterable<T>, size = 500): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Returns whether the first bytes of a file fit what it claims to be. */
export type FileTypeCheck = (start: Buffer) => boolean;

const startsWith =
  (text: string, at = 0): FileTypeCheck =>
  (start) =>
    start.toString('latin1', at, at + text.length) === text;

/** Formats of files that tools store. A server sends them with these types only, which browsers do not guess. */
export const FILE_TYPES = {
  png: startsWith('\u0089PNG\r\n\u001a\n'),
  webm: startsWith('\u001aE\u00df\u00a3'),
  webp: (start: Buffer) => startsWith('RIFF')(start) && startsWith('WEBP', 8)(start),
} as const satisfies Readonly<Record<string, FileTypeCheck>>;

/** Maximum size of an imported picture. */
export const MAX_PICTURE_BYTES = 20 * 1024 * 1024;

/** @throws Refusal if the disk has no space for a file of this size */
export function assertSpaceFor(disk: Pick<DiskSpace, 'canStoreFiles' | 'getFreeBytes'>, bytes: number): void {
  if (!disk.canStoreFiles() || disk.getFreeBytes() < bytes) throw new Refusal('disk.low', LOW_DISK_SPACE_MESSAGE);
}

/**
 * Stores a file of an import under a name, completely and durably or not at all.
 * @throws Refusal if it is damaged, too large or of another type
 */
export async function saveImportedFile(
  files: Pick<FileStorage, 'createScratchFolder' | 'importFile'>,
  file: ImportFile,
  {
    name,
    isType,
    maxBytes = Infinity,
  }: { readonly name: string; readonly isType?: FileTypeCheck; readonly maxBytes?: number },
): Promise<FileChecksum> {
  if (file.bytes > maxBytes)
    throw new Refusal('import.file_invalid', 'This part is damaged: a file in it is too large');
  const path = join(await files.createScratchFolder('account-import'), randomUUID());
  let bytes = 0;
  let sum = 0;
  async function* measure(): AsyncGenerator<Uint8Array> {
    for await (const chunk of file.read()) {
      if (bytes === 0 && isType?.(Buffer.from(chunk)) === false)
        throw new Refusal('import.file_invalid', `The file ${name} is not what its name says`);
      bytes += chunk.length;
      sum = crc32(chunk, sum);
      yield chunk;
    }
  }
  try {
    await pipeline(measure(), createWriteStream(path, { flags: 'wx', mode: 0o600 }));
    await files.importFile(path, name);
  } finally {
    await rm(path, { force: true });
  }
  return { bytes, crc32: sum };
}
