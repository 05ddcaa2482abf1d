import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Database } from '#platform/server/database/database.ts';
import {
  JobFailure,
  defineJobKind,
  type JobKind,
  type JobOutcome,
  type JobRun,
} from '#platform/server/jobs/jobQueue.ts';
import { type SongStep, IncompleteSongFailure, type Media } from '#platform/server/media/media.ts';
import type { MediaPrograms } from '#platform/server/programs/mediaPrograms.ts';
import { type FileStorage, linkFile } from '#platform/server/storage/fileStorage.ts';
import { createSeal } from '#platform/server/storage/seal.ts';
import type { ServerContext, StartedServerTool } from '#platform/server/tool.ts';
import { MAX_UPLOAD_BYTES } from '../../contract/limits.ts';
import { createLostSongStore } from '../../library/server/store/songStore.ts';
import type { MusicServices } from '../../server/musicServices.ts';
import { settings } from '../../server/musicSettings.ts';
import { selectCookies } from '../domain/cookies.ts';
import { getUploadTitle } from '../domain/uploadName.ts';
import { createCookieStore } from './cookieStore.ts';
import {
  createCookieHandlers,
  createDownloadHandlers,
  createDownloadListeners,
  createYtdlpHandlers,
} from './downloadHandlers.ts';
import { createDownloadNotifier } from './downloadNotifier.ts';
import { UPLOAD, UPLOAD_SITE, uploadInput, type UploadInput } from './jobInput.ts';
import { createSongImporter, type SongImporter } from './songImporter.ts';
import { defineSongKind } from './songJob.ts';
import { createUploads, getUploadPath } from './uploads.ts';
import type { UploadStore } from './uploadStore.ts';

export interface UploadJobDeps {
  readonly database: Database;
  readonly media: Media;
  readonly programs: MediaPrograms;
  readonly files: FileStorage;
  readonly importer: SongImporter;
  readonly store: UploadStore;
  /** Receives errors of clean-up. */
  readonly onFault: (error: unknown) => void;
}

const BROKEN_FILE_MESSAGE = 'The upload was damaged. Choose the file again';
const MISSING_FILE_MESSAGE = 'There is no such upload. Choose the file again';

const EXTENSION_PATTERN = /\.([a-z0-9]{1,5})$/i;

async function computeDigest(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash, { signal });
  return hash.digest('hex');
}

/** Defines the job that converts an uploaded file to a song. */
export function defineUploadKind(context: UploadJobDeps): JobKind {
  const { database, media, programs, files, importer, store, onFault } = context;
  const removeFile = async (id: number): Promise<void> => files.remove(getUploadPath(id));
  /** Removes an upload that can't become a song, no matter how often it is tried. */
  async function removeUpload({ job, input: { upload } }: JobRun<UploadInput>): Promise<void> {
    await removeFile(upload);
    await store.remove(database.db, job.account, upload);
  }

  /** Links the file into the job's folder under a safe name. @throws JobFailure */
  async function fetchFile(run: JobRun<UploadInput>): Promise<string> {
    const { input, folder, signal } = run;
    const { upload, digest } = input;
    if ((await files.getSize(getUploadPath(upload))) === undefined) throw new JobFailure('final', MISSING_FILE_MESSAGE);
    const path = files.getPath(getUploadPath(upload));
    if ((await computeDigest(path, signal)) !== digest) {
      await removeUpload(run);
      throw new JobFailure('final', BROKEN_FILE_MESSAGE);
    }
    for (const name of await readdir(folder)) if (name !== 'id') await rm(join(folder, name), { recursive: true });
    const name = `media.${EXTENSION_PATTERN.exec(input.name)?.[1]?.toLowerCase() ?? 'bin'}`;
    await linkFile(path, join(folder, name));
    return name;
  }

  const withUploadRemoved = ({ job, input }: JobRun<UploadInput>, outcome: JobOutcome): JobOutcome => ({
    ...outcome,
    save: async (work) => {
      const result = await outcome.save(work);
      await store.remove(work.tx, job.account, input.upload);
      work.afterCommit(() => void removeFile(input.upload).catch(onFault));
      return result;
    },
  });

  return defineJobKind<UploadInput>({
    name: UPLOAD,
    input: uploadInput,
    run: async (run) => {
      const { job, input, folder, signal, reportProgress } = run;
      const origin = { source: '', site: UPLOAD_SITE, siteId: input.digest };
      const existing = await importer.findStoredSong(job.account, origin);
      if (existing) return withUploadRemoved(run, importer.reuseSong(job, existing.id, input.playlist));
      const setupProblem = await programs.getSetupProblem('convert', job.account);
      if (setupProblem !== '') throw new JobFailure('final', setupProblem);
      const name = await fetchFile(run);
      const lost = await importer.findLostSong(job.account, origin);
      const processed = await media
        .processSong({
          folder,
          name,
          signal,
          tags: lost ?? {},
          fallbackTitle: getUploadTitle(input.name),
          keepsFile: true,
          onProgress: (percent) => reportProgress({ percent }),
        })
        .catch(async (error: unknown) => {
          const isFinal =
            error instanceof IncompleteSongFailure || (error instanceof JobFailure && error.retry === 'final');
          if (!isFinal) throw error;
          await removeUpload(run);
          throw new JobFailure('final', error.message, { cause: error });
        });
      reportProgress({ title: processed.tags.title });
      return withUploadRemoved(
        run,
        await importer.storeSong({ job, folder, origin, playlist: input.playlist, lost }, processed),
      );
    },
  });
}

export interface DownloadsToolOptions {
  /** Maximum size of a song's file. Tests use less. */
  readonly limitBytes?: number;
  /** How long a site can be silent. Tests wait less. */
  readonly silentMs?: number;
  readonly onStep?: (step: SongStep | 'fetch', ms: number) => void;
}

/** Creates the part of the tool that downloads links and converts uploaded files. */
export function createDownloadsTool(
  context: ServerContext,
  services: MusicServices,
  options: DownloadsToolOptions = {},
): StartedServerTool {
  const { database, jobs, processRunner, programs, egress, media, files, disk, realtime, log, now } = context;
  const { limitBytes = MAX_UPLOAD_BYTES, silentMs = 60_000, onStep } = options;
  const notifier = createDownloadNotifier({
    jobs,
    realtime,
    now,
    onFault: (error) => log.error({ err: error }, 'music.download.notification_failed'),
  });
  const onFault = (error: unknown): void => log.error({ err: error }, 'music.file.cleanup_failed');
  const importer = createSongImporter({
    services,
    lostSongs: createLostSongStore(database),
    files,
    jobs,
    now,
    onFault,
  });
  const uploads = createUploads(context, { services, files, jobs, disk, programs });
  const { YTDLP_ARGS: args, YTDLP_PLUGINS: plugins } = settings.parse(context.environment);
  const cookies = createCookieStore(database, createSeal(context.links.deriveKey('music cookies')));
  async function getCookiesFor(account: number, link: string): Promise<string | undefined> {
    const stored = await cookies.get(account);
    return stored && selectCookies(stored.cookies, new URL(link), now().epochMilliseconds / 1000);
  }
  const stopController = new AbortController();
  let backgroundWork: Promise<unknown> | undefined;
  async function checkPlugins(): Promise<void> {
    if (plugins === undefined) return;
    await access(plugins).catch((error: unknown) => log.warn({ err: error, plugins }, 'music.ytdlp.plugins_missing'));
  }
  const downloader = {
    processRunner,
    programs,
    egress,
    limitBytes,
    silentMs,
    options: { args, plugins },
    getCookiesFor,
  };
  const kinds = [
    defineSongKind({ downloader, media, jobs, importer, onStep }),
    defineUploadKind({ database, media, programs, files, importer, store: services.store.uploads, onFault }),
  ];
  return {
    calls: [
      ...createDownloadHandlers(context, { services, jobs, programs, notifier, uploads, cookies }),
      ...createYtdlpHandlers(context),
      ...createCookieHandlers(context, cookies),
      ...uploads.calls,
    ],
    events: createDownloadListeners({ notifier }),
    jobKinds: kinds.map((kind) => ({ ...kind, onChange: notifier.onJobChange })),
    startBackgroundWork: () => {
      backgroundWork = Promise.all([
        uploads.removeOrphans(stopController.signal).catch(onFault),
        context.ytdlpUpdates.start(),
        checkPlugins(),
      ]);
    },
    nightly: uploads.nightly,
    deleteAccountData: uploads.forget,
    stop: async () => {
      stopController.abort();
      await backgroundWork;
      await notifier.stop();
    },
  };
}
