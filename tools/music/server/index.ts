import { DAY_MS } from '#platform/contract/duration.ts';
import type { ServerTool, ServerContext, StartedServerTool } from '#platform/server/tool.ts';
import { getMusicRoom } from '../downloads/server/downloadNotifier.ts';
import { createDownloadsTool, type DownloadsToolOptions } from '../downloads/server/downloads.ts';
import { UPLOADS_FOLDER } from '../downloads/server/uploads.ts';
import { createFileHandlers, createFileEndpoints } from '../library/server/files/fileEndpoints.ts';
import { createTickets } from '../library/server/files/fileSender.ts';
import { scanFolder } from '../library/server/files/scanFolder.ts';
import { FOLDER } from '../library/server/files/songFiles.ts';
import { DELETED_TTL_MS } from '../library/server/library.ts';
import { createLibraryHandlers } from '../library/server/libraryHandlers.ts';
import { createLibrarySerializer } from '../library/server/libraryResponses.ts';
import { createSubsonicEndpoints } from '../subsonic/server/subsonicEndpoints.ts';
import { migrations } from './migrations.ts';
import { createFileExport, exportDescription, createExport } from './musicExport.ts';
import { createMusicImport } from './musicImport.ts';
import { joinTools, createMusicServices, type MusicServices } from './musicServices.ts';
import { settings } from './musicSettings.ts';

/** Creates the part that serves the library and its files to the pages, and runs its background work. */
export function createLibraryTool(context: ServerContext, services: MusicServices): StartedServerTool {
  const { database, cluster, files, log, now } = context;
  const { store, library, songFiles, links, tagger, markMissing, prepareFile, removeFiles, transcoder } = services;
  const tickets = createTickets({ database, store, links });
  const stopController = new AbortController();
  async function scan(): Promise<void> {
    try {
      const { runInOrder } = tagger;
      await scanFolder({ store, files, songFiles, markMissing, runInOrder, log, signal: stopController.signal });
      await tagger.resume();
    } catch (error) {
      if (!stopController.signal.aborted) log.error({ err: error }, 'music.folder.scan_failed');
    }
  }
  let runningScan: Promise<void> | undefined;

  return {
    calls: [
      ...createLibraryHandlers(context, {
        library,
        serializeLibrary: createLibrarySerializer({ ...services, now, cluster }),
        onTagsChanged: tagger.retag,
      }),
      ...createFileHandlers({ library, prepareFile, links, tickets }),
    ],
    startBackgroundWork: () => {
      runningScan = scan();
    },
    endpoints: createFileEndpoints({ store, files: songFiles, prepareFile, links, tickets, transcoder }),
    deleteAccountData: async (account) => removeFiles(await store.songs.listIds(account)),
    nightly: async () => {
      const nowMs = now().epochMilliseconds;
      await removeFiles(await store.songs.purge(nowMs - DELETED_TTL_MS));
      await store.plays.purge(nowMs - DAY_MS);
      await store.tickets.purge(nowMs);
      await tagger.resume();
    },
    stop: async () => {
      stopController.abort();
      await tagger.stop();
      await runningScan;
    },
  };
}

/** Creates the part that serves the library to OpenSubsonic players at `/rest/`. */
export function createPlayerTool(context: ServerContext, services: MusicServices, version: string): StartedServerTool {
  const { transcoder } = services;
  let cleanup: Promise<void> | undefined;
  return {
    calls: [],
    endpoints: createSubsonicEndpoints(context, { ...services, files: context.files, version }),
    startBackgroundWork: () => {
      cleanup = transcoder
        .removeLeftovers()
        .catch((error: unknown) => context.log.warn({ err: error }, 'music.transcodes.cleanup_failed'));
    },
    stop: async () => {
      transcoder.stop();
      await cleanup;
    },
  };
}

/** Creates the tool with options for its downloads, for benchmarks and tests. */
export function createMusicTool(options: DownloadsToolOptions = {}): ServerTool {
  return {
    name: 'music',
    services: [
      'database',
      'cluster',
      'identity',
      'realtime',
      'rateLimiter',
      'disk',
      'egress',
      'processRunner',
      'programs',
      'ytdlpUpdates',
      'media',
      'files',
      'links',
      'jobs',
    ],
    settings,
    appPasswordKinds: [{ name: 'music', acceptsDigests: true }],
    changingFolders: [UPLOADS_FOLDER],
    fileFolders: [FOLDER],
    migrations,
    start: (context, site) => {
      const services = createMusicServices(context, site);
      return {
        ...joinTools([
          createLibraryTool(context, services),
          createDownloadsTool(context, services, options),
          createPlayerTool(context, services, site.version),
        ]),
        jobWorkers: settings.parse(context.environment).MUSIC_WORKERS,
        // The suffix is fixed by docs/specification/platform.md section 3.2.
        rooms: [{ tokenSuffix: 'music', getRoom: getMusicRoom }],
        exportAccount: createExport(services, context),
        exportDescription,
        exportFiles: createFileExport(services, context.files),
        importAccount: createMusicImport(context, services),
        sumStoredBytes: services.store.songs.sumBytesByAccount,
      };
    },
  };
}

export const music: ServerTool = createMusicTool();
