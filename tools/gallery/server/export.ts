import { createReadStream } from 'node:fs';
import type { ExportFile, ServerContext } from '#platform/server/tool.ts';
import { videoName } from '../domain/recording.ts';
import type { GalleryStore } from './galleryStore.ts';

export const exportHolds =
  'Your recordings: when they were made, what they are called, and in the folder gallery the videos themselves.';

/** The account's recordings, oldest first. */
export const exportOf =
  (store: Pick<GalleryStore, 'ofAccount'>) =>
  async (account: number): Promise<unknown> => ({
    recordings: (await store.ofAccount(account)).map(({ file, title, start, end, isPublic }) => ({
      file: `${file}.webm`,
      title,
      start: new Date(start * 1000).toISOString(),
      end: new Date(end * 1000).toISOString(),
      public: isPublic,
    })),
  });

export const exportFiles = ({ files }: Pick<ServerContext, 'files'>, store: Pick<GalleryStore, 'filesOf'>) =>
  async function* (account: number): AsyncGenerator<ExportFile> {
    for (const file of await store.filesOf(account))
      if ((await files.getSize(videoName(file))) !== undefined)
        yield { path: `${file}.webm`, content: createReadStream(files.getPath(videoName(file))), isPacked: true };
  };
