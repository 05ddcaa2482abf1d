import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import type { Job } from '#platform/server/jobs/jobQueue.ts';
import type { ProcessedVideo } from '#platform/server/media/media.ts';
import type { FileStorage } from '#platform/server/storage/fileStorage.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { getPicturePath, getVideoPath } from '../domain/recording.ts';

export const settings = z.object({
  GALLERY_QUOTA_GB: z
    .string()
    .regex(/^\d{1,6}(\.\d+)?$/, 'must be a number of GiB such as 20')
    .prefault('20')
    .transform(Number)
    .describe('Maximum disk space for the recordings of one account, in GiB.'),
});

/**
 * Derives the name of a job's video: 128 secret bits, equal in all attempts. The next attempt, and the deletion of the
 * account, find the files that a killed server has stored. The name never starts with a dash.
 */
export function getVideoFileName(
  context: Pick<ServerContext, 'links'>,
  { id, created }: Pick<Job, 'id' | 'created'>,
): string {
  return deriveFileName(context, `${id} ${created.epochMilliseconds}`);
}

/** Derives the name of a video: 128 secret bits, equal for the same origin. */
export function deriveFileName({ links }: Pick<ServerContext, 'links'>, origin: string): string {
  return createHmac('sha256', links.deriveKey('names of recordings'))
    .update(origin)
    .digest('base64url')
    .slice(0, 22)
    .replace(/^-/, '_');
}

export async function removeVideo(files: FileStorage, file: string): Promise<void> {
  await Promise.all([files.remove(getVideoPath(file)), files.remove(getPicturePath(file))]);
}

export async function placeVideo(
  files: FileStorage,
  folder: string,
  video: ProcessedVideo,
  file: string,
): Promise<void> {
  await files.importFile(join(folder, video.thumbnail), getPicturePath(file));
  await files.importFile(join(folder, video.name), getVideoPath(file));
}

/** Below the data folder. */
export const INBOX_FOLDER = 'gallery/inbox';
/** Folder in which files of the inbox are probed under a safe name. */
export const PROBES_FOLDER = 'gallery/looks';

/** Folder of an account, below the inbox. */
export function getAccountFolder(account: number): string {
  return `account-${account}`;
}
/** Folder of a computer's own recordings, below the inbox. */
export function getDeviceFolder(account: number, device: number): string {
  return `${getAccountFolder(account)}/device-${device}`;
}

export function getInboxFolder(account: number): string {
  return `${INBOX_FOLDER}/${getAccountFolder(account)}`;
}
/** Folder with the unreadable recordings of an account. */
export function getBrokenFolder(account: number): string {
  return `gallery/broken/${getAccountFolder(account)}`;
}
export function getBrokenPath(account: number, file: string): string {
  return `${getBrokenFolder(account)}/${file}`;
}
