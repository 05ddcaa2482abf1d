import { DAY_MS } from '#platform/contract/duration.ts';
import type { ServerTool, ServerContext, StartedServerTool } from '#platform/server/tool.ts';
import { getMusicRoom } from '../downloads/server/downloadNotifier.ts';
import { downloading, type DownloadingOptions } from '../downloads/server/downloads.ts';
import { fileCalls, fileEndpoints } from '../library/server/files/fileEndpoints.ts';
import { createTickets } from '../library/server/files/fileSender.ts';
import { scanFolder } from '../library/server/files/folderScan.ts';
import { DELETED_TTL_MS } from '../library/server/library.ts';
import { libraryCalls } from '../library/server/libraryHandlers.ts';
import { createAnswers } from '../library/server/libraryResponses.ts';
import { subsonicEndpoints } from '../subsonic/server/subsonicEndpoints.ts';
import { migrations } from './migrations.ts';
import { exportFiles, exportDescription, createExport } from './musicExport.ts';
import { joinTools, createBase, type Base } from './musicServices.ts';
import { settings } from './musicSettings.ts';

/** Serves the library and its files to the pages, and runs its background work. */
export function keeping(context: ServerContext, base: Base): StartedServerTool {
  const { database, files, log, now } = context;
  const { store, library, songFiles, links, tagger, mark, give, removeFiles, lowered } = base;
  const tickets = createTickets({ database, store, links });
  const stopping = new AbortController();
  const scan = async (): Promise<void> => {
    try {
      const { runInOrder } = tagger;
      await scanFolder({ store, files, songFiles, mark, runInOrder, log, signal: stopping.signal });
      await tagger.resume();
    } catch (error) {
      if (!stopping.signal.aborted) log.error({ err: error }, 'music.folder.scan_failed');
    }
  };
  let scanning: Promise<void> | undefined;

  return {
    calls: [
      ...libraryCalls(context, { library, answer: createAnswers({ ...base, now }), renamed: tagger.renamed }),
      ...fileCalls({ library, give, links, tickets }),
    ],
    startBackgroundWork: () => {
      scanning = scan();
    },
    endpoints: fileEndpoints({ store, files: songFiles, give, links, tickets, lowered }),
    deleteAccountData: async (account) => removeFiles(await store.songs.listIds(account)),
    nightly: async () => {
      const nowMs = now().epochMilliseconds;
      await removeFiles(await store.songs.purge(nowMs - DELETED_TTL_MS));
      await store.plays.purge(nowMs - DAY_MS);
      await store.tickets.purge(nowMs);
      await tagger.resume();
    },
    stop: async () => {
      stopping.abort();
      await tagger.stop();
      await scanning;
    },
  };
}

/** Serves the library to OpenSubsonic players at `/rest/`. */
export function createPlayerTool(context: ServerContext, base: Base, version: string): StartedServerTool {
  return {
    calls: [],
    endpoints: subsonicEndpoints(context, { ...base, files: context.files, version }),
    startBackgroundWork: () =>
      void base.lowered
        .begin()
        .catch((error: unknown) => context.log.warn({ err: error }, 'music.transcodes.cleanup_failed')),
    stop: async () => base.lowered.stop(),
  };
}

/** Creates the tool with options for its downloads, for benchmarks and tests. */
export function musicWith(options: DownloadingOptions = {}): ServerTool {
  return {
    name: 'music',
    services: [
      'database',
      'identity',
      'realtime',
      'limits',
      'disk',
      'egress',
      'children',
      'programs',
      'ytdlpUpdates',
      'media',
      'files',
      'links',
      'jobs',
    ],
    settings,
    appPasswordKinds: [{ name: 'music', acceptsDigests: true }],
    migrations,
    start: (context, site) => {
      const base = createBase(context);
      return {
        ...joinTools([
          keeping(context, base),
          downloading(context, base, options),
          createPlayerTool(context, base, site.version),
        ]),
        jobWorkers: settings.parse(context.environment).MUSIC_WORKERS,
        // The suffix is fixed by docs/specification/platform.md section 3.2.
        rooms: [{ tokenSuffix: 'music', getRoom: getMusicRoom }],
        exportAccount: createExport(base, context),
        exportDescription,
        exportFiles: exportFiles(base, context.files),
      };
    },
  };
}

export const music: ServerTool = musicWith();
