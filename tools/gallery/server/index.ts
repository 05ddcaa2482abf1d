import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { UnitOfWork } from '#platform/server/database/database.ts';
import {
  listen,
  type ServerContext,
  type ServerTool,
  type ExportFile,
  type DataProblem,
} from '#platform/server/tool.ts';
import { captureState, galleryChanged } from '../contract.ts';
import { videoName, pictureName, type GalleryRecording, VIDEOS } from '../domain/recording.ts';
import { createCaptures } from './captures.ts';
import { brokenFolder, ownFolder, settings, getVideoFileName, removeVideo } from './galleryFiles.ts';
import { createGalleryHandlers, createRecordingLister } from './galleryHandlers.ts';
import { galleryStore, createRoom, type GalleryStore } from './galleryStore.ts';
import { type ReadyFile, type InboxFile, createInbox } from './inbox.ts';
import { migrations } from './migrations.ts';
import { fileEndpoints } from './videoEndpoints.ts';
import { VIDEO, videoJob, type VideoInput } from './videoJob.ts';

export const exportDescription = 'Your recordings with their times and names. The videos are in the folder gallery.';

/** Returns a function that exports an account's recordings, oldest first. */
export function createExport(store: Pick<GalleryStore, 'listByAccount'>) {
  return async (account: number): Promise<unknown> => ({
    recordings: (await store.listByAccount(account)).map(({ file, title, start, end, isPublic }) => ({
      file: `${file}.webm`,
      title,
      start: new Date(start * 1000).toISOString(),
      end: new Date(end * 1000).toISOString(),
      public: isPublic,
    })),
  });
}

export function exportFiles({ files }: Pick<ServerContext, 'files'>, store: Pick<GalleryStore, 'listFiles'>) {
  return async function* (account: number): AsyncGenerator<ExportFile> {
    for (const file of await store.listFiles(account))
      if ((await files.getSize(videoName(file))) !== undefined)
        yield { path: `${file}.webm`, content: createReadStream(files.getPath(videoName(file))), isPacked: true };
  };
}

const toManualProblem = (sentence: string): DataProblem => ({ message: sentence, repair: 'by hand' });

const toMissingVideo = ({ file, start, account }: GalleryRecording): DataProblem =>
  toManualProblem(
    `the video of ${new Date(start * 1000).toISOString()} of account ${account} is missing. Restore ${videoName(file)}, or delete the recording on its page`,
  );

/**
 * Checks that each recording has its video, and each video its recording. Only a person can decide which of them is
 * right.
 */
export async function checkVideos(
  { files }: Pick<ServerContext, 'files'>,
  store: Pick<GalleryStore, 'listAll'>,
): Promise<readonly DataProblem[]> {
  const before = await store.listAll();
  const storedNames = new Set(await files.list(VIDEOS));
  // Recordings that were added or deleted in the meantime are fine.
  const after = await store.listAll();
  const currentFiles = new Set(after.map(({ file }) => file));
  const expectedNames = new Set([...before, ...after].flatMap(({ file }) => [videoName(file), pictureName(file)]));
  return [
    ...before.filter(({ file }) => currentFiles.has(file) && !storedNames.has(videoName(file))).map(toMissingVideo),
    ...[...storedNames]
      .filter((name) => !expectedNames.has(name))
      .map((name) => toManualProblem(`${name} does not belong to a recording. Delete it, or move it to the inbox`)),
  ];
}

const SCAN_SECONDS = 5;
const EPOCH = Temporal.Instant.fromEpochMilliseconds(0);

/** Tracks the computers that report a recording of their screen, while they are connected. */
const createRecordingTracker = (
  { devices, now }: Pick<ServerContext, 'devices' | 'now'>,
  changed: (account: number) => void,
) => {
  const since = new Map<number, { readonly account: number; readonly at: number }>();
  const set = (device: number, account: number, isRecording: boolean, seconds = 0): void => {
    if (isRecording === since.has(device)) return;
    if (isRecording) since.set(device, { account, at: Math.floor(now().epochMilliseconds / 1000) - seconds });
    else since.delete(device);
    changed(account);
  };
  devices.onStateChange(({ id, account }, state) => {
    if (state === 'Disconnected') set(id, account, false);
  });
  return {
    set,
    of: (account: number) =>
      [...since].flatMap(([device, { account: owner, at }]) =>
        owner === account ? [{ target: String(device), since: at }] : [],
      ),
  };
};

export const gallery: ServerTool = {
  name: 'gallery',
  services: ['database', 'identity', 'realtime', 'devices', 'disk', 'programs', 'media', 'files', 'links', 'jobs'],
  settings,
  migrations,
  start: (context) => {
    const { database, files, jobs, realtime, now } = context;
    const store = galleryStore(database);
    const changed = (account: number): void => realtime.send(`account:${account}`, galleryChanged, {});
    const takeOn = async (work: UnitOfWork, { account, path, name, modifiedMs, isCut }: ReadyFile): Promise<void> => {
      const input: VideoInput = { path, name, modifiedMs, isCut };
      await jobs.add(work, [{ account, kind: VIDEO, input, title: name, key: path }]);
      work.afterCommit(() => changed(account));
    };
    const isInHand = async ({ account, path }: InboxFile, work?: UnitOfWork): Promise<boolean> =>
      (await jobs.listOpenByKey(account, VIDEO, path, work?.tx)).length > 0;
    const take = (file: ReadyFile): Promise<boolean> =>
      database.transaction(async (work) => {
        if (await isInHand(file, work)) return false;
        await takeOn(work, file);
        return true;
      });
    const inbox = createInbox({ context, take, isInHand, changed, now: () => now().epochMilliseconds });
    const room = createRoom(context, store);
    const captures = createCaptures({ context, store, room, takeOn });
    const recording = createRecordingTracker(context, changed);
    const list = createRecordingLister({ context, store, inbox, room, listActiveRecordings: recording.of });
    return {
      calls: createGalleryHandlers({ context, store, list, captures, changed }),
      events: [
        listen(captureState, async ({ isRecording, seconds }, { account, device }) => {
          recording.set(device, account, isRecording, seconds);
          return {};
        }),
      ],
      endpoints: fileEndpoints(context, store),
      jobKinds: [videoJob({ context, store, changed })],
      tasks: [{ name: 'gallery inbox', intervalSeconds: SCAN_SECONDS, run: inbox.scan }],
      nightly: captures.removeExpired,
      exportAccount: createExport(store),
      exportFiles: exportFiles(context, store),
      exportDescription,
      deleteAccountData: async (account) => {
        // A job that a killed server interrupted may have put its files in place already.
        const ended = await jobs.list(account, { kinds: [VIDEO], endedAfter: EPOCH });
        for (const file of [...(await store.listFiles(account)), ...ended.map((job) => getVideoFileName(context, job))])
          await removeVideo(files, file);
        for (const folder of [ownFolder(account), brokenFolder(account)])
          await rm(files.getPath(folder), { recursive: true, force: true });
      },
      checkData: () => checkVideos(context, store),
      stop: inbox.stop,
    };
  },
};
