import { rm } from 'node:fs/promises';
import { createReplicatedMap } from '#platform/server/cluster/replicatedMap.ts';
import type { UnitOfWork } from '#platform/server/database/database.ts';
import { readStoredFile } from '#platform/server/storage/fileStore.ts';
import {
  listen,
  type ServerContext,
  type ServerTool,
  type ExportFile,
  type DataProblem,
} from '#platform/server/tool.ts';
import { captureState, galleryChanged } from '../contract.ts';
import { getVideoPath, getPicturePath, type GalleryRecording, VIDEOS_FOLDER } from '../domain/recording.ts';
import { createCaptures } from './captures.ts';
import {
  getBrokenFolder,
  getInboxFolder,
  getVideoFileName,
  INBOX_FOLDER,
  PROBES_FOLDER,
  removeVideo,
  settings,
} from './galleryFiles.ts';
import { createGalleryHandlers, createRecordingLister } from './galleryHandlers.ts';
import { createGalleryImport } from './galleryImport.ts';
import { createGalleryStore, createQuota, type GalleryStore } from './galleryStore.ts';
import { type ReadyFile, type InboxFile, createInbox } from './inbox.ts';
import { migrations } from './migrations.ts';
import { createVideoEndpoints } from './videoEndpoints.ts';
import { VIDEO, defineVideoJob, type VideoInput } from './videoJob.ts';

export const exportDescription =
  'Your recordings with their times and names. The videos and their pictures are in the folder gallery.';

/** Returns a function that exports an account's recordings, oldest first. */
export function createExport(store: Pick<GalleryStore, 'listByAccount' | 'hasNewPublic'>) {
  return async (account: number): Promise<unknown> => ({
    publishesNew: await store.hasNewPublic(account),
    recordings: (await store.listByAccount(account)).map(({ file, title, start, end, isPublic, ...video }) => ({
      file: `${file}.webm`,
      title,
      start: new Date(start * 1000).toISOString(),
      end: new Date(end * 1000).toISOString(),
      public: isPublic,
      seconds: video.duration,
      width: video.width,
      height: video.height,
      cutOff: video.isCut,
    })),
  });
}

export function createFileExport({ files }: Pick<ServerContext, 'files'>, store: Pick<GalleryStore, 'listFiles'>) {
  return async function* (account: number): AsyncGenerator<ExportFile> {
    for (const file of await store.listFiles(account))
      for (const [path, storedPath] of [
        [`${file}.webm`, getVideoPath(file)],
        [`${file}.png`, getPicturePath(file)],
      ] as const) {
        const size = await files.getSize(storedPath);
        if (size !== undefined) yield { path, content: readStoredFile(files, [storedPath], size), isPacked: true };
      }
  };
}

const toManualProblem = (message: string): DataProblem => ({ message, repair: 'by hand' });

const toMissingVideo = ({ file, start, account }: GalleryRecording): DataProblem =>
  toManualProblem(
    `the video of ${new Date(start * 1000).toISOString()} of account ${account} is missing. Restore ${getVideoPath(file)}, or delete the recording on its page`,
  );

/**
 * Checks that each recording has its video, and each video its recording. Only the operator can decide how to repair a
 * mismatch.
 */
export async function checkVideos(
  { files }: Pick<ServerContext, 'files'>,
  store: Pick<GalleryStore, 'listAll'>,
): Promise<readonly DataProblem[]> {
  const before = await store.listAll();
  const storedNames = new Set(await files.list(VIDEOS_FOLDER));
  // Recordings that were added or deleted in the meantime are fine.
  const after = await store.listAll();
  const currentFiles = new Set(after.map(({ file }) => file));
  const expectedNames = new Set(
    [...before, ...after].flatMap(({ file }) => [getVideoPath(file), getPicturePath(file)]),
  );
  return [
    ...before.filter(({ file }) => currentFiles.has(file) && !storedNames.has(getVideoPath(file))).map(toMissingVideo),
    ...[...storedNames]
      .filter((name) => !expectedNames.has(name))
      .map((name) => toManualProblem(`${name} does not belong to a recording. Delete it, or move it to the inbox`)),
  ];
}

const SCAN_SECONDS = 5;
const EPOCH = Temporal.Instant.fromEpochMilliseconds(0);

/** Tracks the computers that report a recording of their screen, while they are connected. */
function createRecordingTracker(
  { devices, cluster, now }: Pick<ServerContext, 'devices' | 'cluster' | 'now'>,
  onChange: (account: number) => void,
) {
  const startByDevice = createReplicatedMap<{ readonly account: number; readonly at: number }>(cluster, 'recordings');
  function set(device: number, account: number, isRecording: boolean, seconds = 0): void {
    if (isRecording === startByDevice.has(device)) return;
    if (isRecording) startByDevice.set(device, { account, at: Math.floor(now().epochMilliseconds / 1000) - seconds });
    else startByDevice.delete(device);
    onChange(account);
  }
  devices.onStateChange(({ id, account }, state) => {
    if (state === 'Disconnected') set(id, account, false);
  });
  return {
    set,
    listByAccount: (account: number) =>
      [...startByDevice].flatMap(([device, { account: owner, at }]) =>
        owner === account ? [{ target: String(device), since: at }] : [],
      ),
  };
}

export const gallery: ServerTool = {
  name: 'gallery',
  services: [
    'database',
    'cluster',
    'identity',
    'realtime',
    'devices',
    'disk',
    'programs',
    'media',
    'files',
    'links',
    'jobs',
  ],
  settings,
  changingFolders: [INBOX_FOLDER, PROBES_FOLDER],
  fileFolders: [VIDEOS_FOLDER],
  migrations,
  start: (context) => {
    const { database, files, jobs, realtime, now } = context;
    const store = createGalleryStore(database);
    const notifyChange = (account: number): void => realtime.send(`account:${account}`, galleryChanged, {});
    async function queueJob(work: UnitOfWork, { account, path, name, modifiedMs, isCut }: ReadyFile): Promise<void> {
      const input: VideoInput = { path, name, modifiedMs, isCut };
      await jobs.add(work, [{ account, kind: VIDEO, input, title: name, key: path }]);
      work.afterCommit(() => notifyChange(account));
    }
    const hasOpenJob = async ({ account, path }: InboxFile, work?: UnitOfWork): Promise<boolean> =>
      (await jobs.listOpenByKey(account, VIDEO, path, work?.tx)).length > 0;
    const queueOnce = (file: ReadyFile): Promise<boolean> =>
      database.transaction(async (work) => {
        if (await hasOpenJob(file, work)) return false;
        await queueJob(work, file);
        return true;
      });
    const inbox = createInbox({
      context,
      queueOnce,
      hasOpenJob,
      onChange: notifyChange,
      now: () => now().epochMilliseconds,
    });
    const quota = createQuota(context, store);
    const captures = createCaptures({ context, store, quota, queueJob });
    const recording = createRecordingTracker(context, notifyChange);
    const list = createRecordingLister({ context, store, inbox, quota, listActiveRecordings: recording.listByAccount });
    return {
      calls: createGalleryHandlers({ context, store, list, captures, onChange: notifyChange }),
      events: [
        listen(captureState, async ({ isRecording, seconds }, { account, device }) => {
          recording.set(device, account, isRecording, seconds);
        }),
      ],
      endpoints: createVideoEndpoints(context, store),
      jobKinds: [defineVideoJob({ context, store, onChange: notifyChange })],
      tasks: [{ name: 'gallery inbox', intervalSeconds: SCAN_SECONDS, run: inbox.scan }],
      nightly: captures.removeExpired,
      exportAccount: createExport(store),
      exportFiles: createFileExport(context, store),
      exportDescription,
      importAccount: createGalleryImport({ context, store, quota, onChange: notifyChange }),
      deleteAccountData: async (account) => {
        // A job that was interrupted by a killed server may have stored its files already.
        const ended = await jobs.list(account, { kinds: [VIDEO], endedAfter: EPOCH });
        for (const file of [...(await store.listFiles(account)), ...ended.map((job) => getVideoFileName(context, job))])
          await removeVideo(files, file);
        for (const folder of [getInboxFolder(account), getBrokenFolder(account)])
          await rm(files.getPath(folder), { recursive: true, force: true });
      },
      sumStoredBytes: store.sumBytesByAccount,
      checkData: () => checkVideos(context, store),
      stop: inbox.stop,
    };
  },
};
