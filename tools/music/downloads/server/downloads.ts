import { access } from 'node:fs/promises';
import type { SongStep } from '#platform/server/media/media.ts';
import { createSeal } from '#platform/server/storage/seal.ts';
import type { ServerContext, StartedServerTool } from '#platform/server/tool.ts';
import { UPLOAD_LIMIT } from '../../contract/limits.ts';
import { lostStore } from '../../library/server/store/lostStore.ts';
import type { Base } from '../../server/musicServices.ts';
import { settings } from '../../server/musicSettings.ts';
import { cookiesFor } from '../domain/cookies.ts';
import { cookieCalls } from './cookieCalls.ts';
import { createCookieStore } from './cookieStore.ts';
import { downloadCalls, downloadEvents } from './downloadHandlers.ts';
import { createDownloadNotifier } from './downloadNotifier.ts';
import { songKind } from './songJob.ts';
import { createSongKeeper } from './songKeeper.ts';
import { uploadKind } from './uploadJob.ts';
import { createUploads } from './uploads.ts';
import { ytdlpCalls } from './ytdlpCalls.ts';

export interface DownloadingOptions {
  /** Of a song's file; tests take less. */
  readonly limitBytes?: number;
  /** For so long a site may send nothing; tests wait less. */
  readonly silentMs?: number;
  readonly onStep?: (step: SongStep | 'fetch', ms: number) => void;
}

/** Links that become songs, and files that are handed in. */
export const downloading = (ground: ServerContext, base: Base, options: DownloadingOptions = {}): StartedServerTool => {
  const { database, jobs, children, programs, egress, media, files, disk, realtime, log, now } = ground;
  const { limitBytes = UPLOAD_LIMIT, silentMs = 60_000, onStep } = options;
  const telling = createDownloadNotifier({
    jobs,
    realtime,
    now,
    onFault: (error) => log.error({ err: error }, 'music.download not told of'),
  });
  const onFault = (error: unknown): void => log.error({ err: error }, 'music.file not cleared away');
  const keeper = createSongKeeper({ base, lost: lostStore(database), files, jobs, now, onFault });
  const uploads = createUploads(ground, { base, files, jobs, disk, programs });
  const { YTDLP_ARGS: args, YTDLP_PLUGINS: plugins } = settings.parse(ground.environment);
  const cookies = createCookieStore(database, createSeal(ground.links.deriveKey('music cookies')));
  const cookiesOf = async (account: number, link: string): Promise<string | undefined> => {
    const stored = await cookies.get(account);
    return stored && cookiesFor(stored.cookies, new URL(link), now().epochMilliseconds / 1000);
  };
  const own = { args, plugins };
  const downloader = { children, programs, egress, limitBytes, silentMs, own, cookiesFor: cookiesOf };
  const kinds = [
    songKind({ downloader, media, jobs, keeper, onStep }),
    uploadKind({ database, media, programs, files, keeper, store: base.store.uploads, onFault }),
  ];
  return {
    calls: [
      ...downloadCalls(ground, { base, jobs, programs, telling, uploads, cookies }),
      ...ytdlpCalls(ground),
      ...cookieCalls(ground, cookies),
      ...uploads.calls,
    ],
    events: downloadEvents({ telling }),
    jobKinds: kinds.map((kind) => ({ ...kind, changed: telling.changed })),
    begin: () => {
      void uploads.sweep().catch(onFault);
      void ground.ytdlpUpdates.start();
      if (plugins !== undefined)
        void access(plugins).catch((error: unknown) =>
          log.warn({ err: error, plugins }, 'music.ytdlp.plugins_missing'),
        );
    },
    nightly: uploads.nightly,
    forget: uploads.forget,
  };
};
