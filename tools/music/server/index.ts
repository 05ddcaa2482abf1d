import type { ServerTool, ServerContext, StartedServerTool } from '#platform/server/tool.ts';
import { downloading, type DownloadingOptions } from '../downloads/server/downloads.ts';
import { fileCalls, fileEndpoints } from '../library/server/files/fileEndpoints.ts';
import { createTickets } from '../library/server/files/fileSender.ts';
import { scanFolder } from '../library/server/files/folderScan.ts';
import { DELETED_TTL_MS } from '../library/server/library.ts';
import { libraryCalls } from '../library/server/libraryHandlers.ts';
import { createAnswers } from '../library/server/libraryResponses.ts';
import { subsonicEndpoints } from '../subsonic/server/subsonicEndpoints.ts';
import { migrations } from './migrations.ts';
import { exportFiles, exportHolds, exportOf } from './musicExport.ts';
import { joined, createBase, type Base } from './musicServices.ts';
import { settings } from './musicSettings.ts';

const DAY_MS = 86_400_000;

/** The library as pages see and change it, and its files as they are sent. */
export function keeping(ground: ServerContext, base: Base): StartedServerTool {
  const { database, files, log, now } = ground;
  const { store, library, songFiles, links, tagger, mark, give, removeFiles, lowered } = base;
  const tickets = createTickets({ database, store, links });
  const stopping = new AbortController();
  const scan = async (): Promise<void> => {
    try {
      const { inTurn } = tagger;
      await scanFolder({ store, files, songFiles, mark, inTurn, log, signal: stopping.signal });
      await tagger.resume();
    } catch (error) {
      if (!stopping.signal.aborted) log.error({ err: error }, 'music.folder could not be looked through');
    }
  };
  let scanning: Promise<void> | undefined;

  return {
    calls: [
      ...libraryCalls(ground, { library, answer: createAnswers({ ...base, now }), renamed: tagger.renamed }),
      ...fileCalls({ library, give, links, tickets }),
    ],
    begin: () => {
      scanning = scan();
    },
    endpoints: fileEndpoints({ store, files: songFiles, give, links, tickets, lowered }),
    forget: async (account) => removeFiles(await store.songs.idsOf(account)),
    nightly: async () => {
      const time = now().epochMilliseconds;
      await removeFiles(await store.songs.purge(time - DELETED_TTL_MS));
      await store.plays.purge(time - DAY_MS);
      await store.tickets.purge(time);
      await tagger.resume();
    },
    stop: async () => {
      stopping.abort();
      await tagger.stop();
      await scanning;
    },
  };
}

/** The library as players of others see, play and change it: OpenSubsonic at `/rest/`. */
export function players(ground: ServerContext, base: Base, version: string): StartedServerTool {
  return {
    calls: [],
    endpoints: subsonicEndpoints(ground, { ...base, files: ground.files, version }),
    begin: () =>
      void base.lowered
        .begin()
        .catch((error: unknown) =>
          ground.log.warn({ err: error }, 'music.smaller songs of an earlier start are not cleared away'),
        ),
    stop: async () => base.lowered.stop(),
  };
}

/** Benchmarks look into its downloads. */
export function musicWith(options: DownloadingOptions = {}): ServerTool {
  return {
    name: 'music',
    settings,
    migrations,
    start: (ground, site) => {
      const base = createBase(ground);
      return {
        ...joined([keeping(ground, base), downloading(ground, base, options), players(ground, base, site.version)]),
        exportOf: exportOf(base, ground),
        exportHolds,
        exportFiles: exportFiles(base, ground.files),
      };
    },
  };
}

export const music: ServerTool = musicWith();
