import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { createKeyedQueue } from '#platform/contract/serialQueue.ts';
import type { UnitOfWork } from '#platform/server/database/database.ts';
import type { Media } from '#platform/server/media/media.ts';
import type { FileStorage } from '#platform/server/storage/fileStorage.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import type { Song } from '../../domain/song.ts';
import type { MusicStore } from '../store/musicStore.ts';
import { getNextSongPath, getSongPath } from './songFiles.ts';

const SCRATCH_FOLDER = 'tags';

interface TaggerDeps extends Pick<ServerContext, 'database' | 'now'> {
  readonly store: MusicStore;
  readonly files: FileStorage;
  readonly media: Pick<Media, 'retag'>;
  readonly log: FastifyBaseLogger;
  /** Must be called first in a transaction that changes a library. */
  readonly startChange: (work: UnitOfWork, account: number) => Promise<void>;
}

/**
 * Writes the tags of renamed songs into their files in the background. The new file and its row exist before it
 * replaces the old file, so that a stopped server finds either of them complete.
 */
export function createTagger({ database, now, store, files, media, log, startChange }: TaggerDeps) {
  const runInOrder = createKeyedQueue();
  const runningById = new Map<number, Promise<void>>();
  const stopController = new AbortController();

  /** Writes the tags into the file. @returns whether they were still current afterwards */
  async function writeTags(account: number, song: Song): Promise<boolean> {
    const folder = join(await files.createScratchFolder(SCRATCH_FOLDER), String(song.id));
    const fileName = `tagged.${song.type}`;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      const { bytes, crc32 } = await files.withLocalFile(getSongPath(song), (from) =>
        media.retag({ from, folder, to: fileName, tags: song, loudness: song, signal: stopController.signal }),
      );
      await files.importFile(join(folder, fileName), getNextSongPath(song));
      const file = { size: bytes, crc: crc32, written: now().epochMilliseconds };
      const isCurrent = await database.transaction(async (work) => {
        await startChange(work, account);
        return store.songs.markRetagged(work.tx, account, song, file);
      });
      if (isCurrent) await files.rename(getNextSongPath(song), getSongPath(song));
      else await files.remove(getNextSongPath(song));
      return isCurrent;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async function writeUntilCurrent(account: number, id: number): Promise<void> {
    try {
      for (let isCurrent = false; !isCurrent && !stopController.signal.aborted;) {
        const song = await store.songs.find(account, id);
        if (!song || song.isMissing) return;
        isCurrent = await writeTags(account, song);
      }
    } catch (error) {
      // The song stays marked: the next start or nightly run tries again.
      if (!stopController.signal.aborted) log.warn({ err: error, song: id }, 'music.tags.unsaved');
    }
  }

  function retag(account: number, id: number): void {
    const work = runInOrder(id, () => writeUntilCurrent(account, id));
    runningById.set(id, work);
    void work.finally(() => {
      if (runningById.get(id) === work) runningById.delete(id);
    });
  }

  return {
    retag,
    runInOrder,
    /** Waits until pending tags are written into these files. */
    waitForTags: async (ids: readonly number[]): Promise<void> => {
      for (const id of runningById.size > 0 ? ids : []) await runningById.get(id);
    },
    /** Continues with tags that were not written before. */
    resume: async (): Promise<void> => {
      await files.createScratchFolder(SCRATCH_FOLDER);
      for (const { account, id } of await store.songs.listUntagged()) {
        if (stopController.signal.aborted) return;
        retag(account, id);
        await runningById.get(id);
      }
    },
    stop: async (): Promise<void> => {
      stopController.abort();
      await Promise.all(runningById.values());
    },
  };
}
