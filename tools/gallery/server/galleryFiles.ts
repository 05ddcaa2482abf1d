import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import type { Job } from '#platform/server/jobs/jobQueue.ts';
import type { ProcessedVideo } from '#platform/server/media/media.ts';
import type { FileStorage } from '#platform/server/storage/fileStorage.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { pictureName, videoName } from '../domain/recording.ts';

export const settings = z.object({
  GALLERY_QUOTA_GB: z
    .string()
    .regex(/^\d{1,6}(\.\d+)?$/, 'must be a number of GiB such as 20')
    .prefault('20')
    .transform(Number)
    .describe('Maximum disk space for the recordings of one account, in GiB.'),
});

/**
 * Derives the name of a job's video: 128 secret bits, equal in all attempts. So the next attempt, and deleting the
 * account, find files that a killed server has put in place. The name never starts with a dash.
 */
export function getVideoFileName(
  { links }: Pick<ServerContext, 'links'>,
  { id, created }: Pick<Job, 'id' | 'created'>,
): string {
  return createHmac('sha256', links.deriveKey('names of recordings'))
    .update(`${id} ${created.epochMilliseconds}`)
    .digest('base64url')
    .slice(0, 22)
    .replace(/^-/, '_');
}

export async function removeVideo(files: FileStorage, file: string): Promise<void> {
  await Promise.all([files.remove(videoName(file)), files.remove(pictureName(file))]);
}

export async function placeVideo(
  files: FileStorage,
  folder: string,
  video: ProcessedVideo,
  file: string,
): Promise<void> {
  await files.importFile(join(folder, video.thumbnail), pictureName(file));
  await files.importFile(join(folder, video.name), videoName(file));
}

/** Below the data folder. */
export const INBOX = 'gallery/inbox';
/** Folder in which files of the inbox are probed under a safe name. */
export const LOOKS = 'gallery/looks';

/** Folder of an account, below the inbox. */
export function accountFolder(account: number): string {
  return `account-${account}`;
}
/** Folder of a computer's own recordings, below the inbox. */
export function deviceFolder(account: number, device: number): string {
  return `${accountFolder(account)}/device-${device}`;
}

/** Folder of an account in the inbox. */
export function ownFolder(account: number): string {
  return `${INBOX}/${accountFolder(account)}`;
}
/** Folder with the unreadable recordings of an account. */
export function brokenFolder(account: number): string {
  return `gallery/broken/${accountFolder(account)}`;
}
export function brokenName(account: number, file: string): string {
  return `${brokenFolder(account)}/${file}`;
}
