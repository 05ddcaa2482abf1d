import type { FileHandle } from 'node:fs/promises';

/** Tags to write. Omitted ones stay unchanged. */
export interface TagChanges {
  readonly title?: string | undefined;
  readonly artists?: readonly string[] | undefined;
  readonly album?: string | undefined;
}

/** A file with other tags, as bytes and ranges of the old file. */
export type TagParts = readonly (Buffer | { readonly from: number; readonly to?: number })[];

/** Larger tags are left to ffmpeg. */
export const MAX_TAG_BYTES = 48 * 1024 * 1024;

/** Reads up to `length` bytes at an offset. */
export async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
  return buffer.subarray(0, bytesRead);
}
