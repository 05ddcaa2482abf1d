import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { createKeyedQueue } from '#platform/contract/serialQueue.ts';
import type { UnitOfWork } from '#platform/server/database/database.ts';
import type { Media } from '#platform/server/media/media.ts';
import type { FileStorage } from '#platform/server/storage/fileStorage.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import type { Song } from '../../domain/song.ts';
import type { MusicStore } from '../store/musicStores.ts';
import { nextSongFile, songFile } from './songFiles.ts';

const SCRATCH_FOLDER = 'tags';

interface TaggerDeps extends Pick<ServerContext, 'database' | 'now'> {
  readonly store: MusicStore;
  readonly files: FileStorage;
  readonly media: Pick<Media, 'retag'>;
  readonly log: FastifyBaseLogger;
  /** Must be called first in a transaction that changes a library. */
  readonly begin: (work: UnitOfWork, account: number) => Promise<void>;
}

/**
 * Writes the tags of renamed songs into their files in the background. The new file and its row exist before it
 * replaces the old file, so that a stopped server finds either of them complete.
 */
export function createTagger({ database, now, store, files, media, log, begin }: TaggerDeps) {
  const runInOrder = createKeyedQueue();
  const running = new Map<number, Promise<void>>();
  const stopping = new AbortController();

  /** @returns whether the tags were still current when the file had them. */
  const write = async (account: number, song: Song): Promise<boolean> => {
    const folder = join(await files.createScratchFolder(SCRATCH_FOLDER), String(song.id));
    const to = `tagged.${song.type}`;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      const { bytes, crc32 } = await media.retag({
        from: files.getPath(songFile(song)),
        folder,
        to,
        tags: song,
        loudness: song,
        signal: stopping.signal,
      });
      await files.importFile(join(folder, to), nextSongFile(song));
      const file = { size: bytes, crc: crc32, written: now().epochMilliseconds };
      const isCurrent = await database.transaction(async (work) => {
        await begin(work, account);
        return store.songs.markRetagged(work.tx, account, song, file);
      });
      if (isCurrent) await files.importFile(files.getPath(nextSongFile(song)), songFile(song));
      else await files.remove(nextSongFile(song));
      return isCurrent;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

  const settle = async (account: number, id: number): Promise<void> => {
    try {
      for (let isCurrent = false; !isCurrent && !stopping.signal.aborted;) {
        const song = await store.songs.find(account, id);
        if (!song || song.isMissing) return;
        isCurrent = await write(account, song);
      }
    } catch (error) {
      // The song stays marked: the next start or nightly run tries again.
      if (!stopping.signal.aborted) log.warn({ err: error, song: id }, 'music.tags.unsaved');
    }
  };

  const renamed = (account: number, id: number): void => {
    const work = runInOrder(id, () => settle(account, id));
    running.set(id, work);
    void work.finally(() => {
      if (running.get(id) === work) running.delete(id);
    });
  };

  return {
    renamed,
    runInOrder,
    /** Waits until pending tags are written into these files. */
    settled: async (ids: readonly number[]): Promise<void> => {
      for (const id of running.size > 0 ? ids : []) await running.get(id);
    },
    /** Continues with tags that were not written before. */
    resume: async (): Promise<void> => {
      await files.createScratchFolder(SCRATCH_FOLDER);
      for (const { account, id } of await store.songs.listUntagged()) {
        if (stopping.signal.aborted) return;
        renamed(account, id);
        await running.get(id);
      }
    },
    stop: async (): Promise<void> => {
      stopping.abort();
      await Promise.all(running.values());
    },
  };
}
