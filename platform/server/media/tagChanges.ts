import type { FileHandle } from 'node:fs/promises';

/** What is to be written; what is left out stays as it is. */
export interface TagChanges {
  readonly title?: string | undefined;
  readonly artists?: readonly string[] | undefined;
  readonly album?: string | undefined;
}

/** A file with other tags, in parts: bytes, and pieces of the former file. */
export type TagParts = readonly (Buffer | { readonly from: number; readonly to?: number })[];

/** Tags larger than this are left to ffmpeg. */
export const MAX_TAG_BYTES = 48 * 1024 * 1024;

export async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}
