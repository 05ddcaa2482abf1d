import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import type { Job } from '#platform/server/jobs/jobQueue.ts';
import type { ProcessedVideo } from '#platform/server/media/media.ts';
import type { FileStorage } from '#platform/server/storage/fileStorage.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { pictureName, videoName } from '../domain/recording.ts';

/**
 * The name that the video of a job gets: 128 bits that nobody guesses, the same in all its tries. What a killed server has put in place is so found
 * again, by the next try and by whoever deletes the account. No name of ours begins with a dash.
 */
export const fileOf = ({ links }: Pick<ServerContext, 'links'>, { id, created }: Pick<Job, 'id' | 'created'>): string =>
  createHmac('sha256', links.deriveKey('names of recordings'))
    .update(`${id} ${created.epochMilliseconds}`)
    .digest('base64url')
    .slice(0, 22)
    .replace(/^-/, '_');

export const removeVideo = async (files: FileStorage, file: string): Promise<void> => {
  await Promise.all([files.remove(videoName(file)), files.remove(pictureName(file))]);
};

export const placeVideo = async (
  files: FileStorage,
  folder: string,
  video: ProcessedVideo,
  file: string,
): Promise<void> => {
  await files.importFile(join(folder, video.thumbnail), pictureName(file));
  await files.importFile(join(folder, video.name), videoName(file));
};
