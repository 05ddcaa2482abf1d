import { lstat, mkdir } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import * as z from 'zod/mini';
import {
  JobFailure,
  defineJobKind,
  type JobKind,
  type JobOutcome,
  type JobRun,
  MAX_STARTS,
  MAX_ATTEMPTS,
} from '#platform/server/jobs/jobQueue.ts';
import { NO_VIDEO_MESSAGE, type ProcessedVideo } from '#platform/server/media/media.ts';
import { ProgramNotFoundError } from '#platform/server/programs/childProcesses.ts';
import { hasErrorCode } from '#platform/server/storage/errorCode.ts';
import { assertRegularFile, moveFile } from '#platform/server/storage/fileStorage.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import type { GalleryRecording } from '../domain/recording.ts';
import { getStartFromName, getTitleFromName } from '../domain/recordingName.ts';
import { getBrokenPath, getVideoFileName, placeVideo, removeVideo } from './galleryFiles.ts';
import type { GalleryStore } from './galleryStore.ts';
import { getInboxPath } from './inbox.ts';

export const VIDEO = 'video';
const SALVAGED_FILE = 'saved.mkv';
const EMPTY_MESSAGE = 'This file is empty';
const CUT_OFF_MESSAGE = 'Unreadable: the recording was cut off';
const TOO_MANY_STARTS_MESSAGE = 'The server stopped several times during this job, so it was cancelled';
const FAULT_MESSAGE = 'Something went wrong on the server. Its log has the details';
/** A recording counts as cut if it is shorter than announced by more than this. */
const TOLERANCE_SECONDS = 2;
const TOLERANCE_SHARE = 0.01;

export const videoInput = z.object({
  /** Below the inbox. */
  path: z.string(),
  /** Original name of the file. */
  name: z.string(),
  modifiedMs: z.number(),
  /** Whether the file was abandoned before it was complete. */
  isCut: z.boolean(),
});
export type VideoInput = z.output<typeof videoInput>;

type VideoJobDeps = Pick<
  ServerContext,
  'files' | 'media' | 'identity' | 'database' | 'links' | 'programs' | 'log' | 'now'
>;

interface VideoJobOptions {
  readonly context: VideoJobDeps;
  readonly store: GalleryStore;
  readonly onChange: (account: number) => void;
}

const exists = async (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Returns whether the end is missing. A killed recorder leaves a container without a length. */
const isCutOff = ({ announcedSeconds, seconds }: ProcessedVideo): boolean =>
  announcedSeconds === undefined ||
  seconds < announcedSeconds - Math.max(TOLERANCE_SECONDS, TOLERANCE_SHARE * announcedSeconds);

/** Creates the job kind that turns files of the inbox and uploads of computers into recordings. */
export function defineVideoJob({ context, store, onChange }: VideoJobOptions): JobKind {
  const { files, media, identity, database, programs, log, now } = context;

  /** Moves the file from the inbox to the job's folder at the first attempt, under a safe name. */
  async function fetchFile({ folder, input }: JobRun<VideoInput>): Promise<string> {
    const name = `media${/^\.[a-z0-9]{1,5}$/i.exec(extname(input.name))?.[0].toLowerCase() ?? '.mkv'}`;
    const target = join(folder, name);
    try {
      if (!(await exists(target))) await moveFile(join(getInboxPath(context), input.path), target);
    } catch (error) {
      if (hasErrorCode(error, 'ENOENT'))
        throw new JobFailure('final', 'The file was removed before it was converted', { cause: error });
      throw error;
    }
    await assertRegularFile(target);
    return name;
  }
  const processFile = async (run: JobRun<VideoInput>, name: string): Promise<ProcessedVideo> =>
    media.processVideo({
      folder: run.folder,
      name,
      signal: run.signal,
      onProgress: (percent) => run.reportProgress({ percent }),
    });
  /** Processes the whole recording, or salvages the readable part. */
  async function processOrSalvage(
    run: JobRun<VideoInput>,
    name: string,
  ): Promise<{ readonly video: ProcessedVideo; readonly isCut: boolean }> {
    if ((await lstat(join(run.folder, name))).size === 0) throw new JobFailure('final', EMPTY_MESSAGE);
    let failure = new JobFailure('final', CUT_OFF_MESSAGE);
    if (!run.input.isCut) {
      try {
        const video = await processFile(run, name);
        return { video, isCut: isCutOff(video) };
      } catch (error) {
        if (run.signal.aborted || !(error instanceof JobFailure)) throw error;
        // A temporary error does not damage the file, so it is retried before only a part is salvaged.
        if (error.retry === 'again' && run.job.attempt < MAX_ATTEMPTS) throw error;
        failure = error;
        if (error.message === NO_VIDEO_MESSAGE) throw error;
      }
    }
    const isSaved = await media.salvageVideo({ folder: run.folder, name, signal: run.signal }, SALVAGED_FILE);
    if (!isSaved) throw failure;
    return { video: await processFile(run, SALVAGED_FILE), isCut: true };
  }
  async function getStart({ job, input }: JobRun<VideoInput>, seconds: number): Promise<number> {
    const namedStart = getStartFromName(input.name, await identity.resolveZone(job.account), input.modifiedMs);
    return (namedStart ?? input.modifiedMs - seconds * 1000) / 1000;
  }
  async function createOutcome(
    run: JobRun<VideoInput>,
    { video, isCut }: { readonly video: ProcessedVideo; readonly isCut: boolean },
  ): Promise<JobOutcome> {
    const { job, input } = run;
    const file = getVideoFileName(context, job);
    const undo = (): Promise<void> => removeVideo(files, file);
    const recording: Omit<GalleryRecording, 'end' | 'isPublic'> = {
      file,
      isCut,
      account: job.account,
      title: getTitleFromName(input.name),
      start: await getStart(run, video.seconds),
      duration: video.seconds,
      width: video.width,
      height: video.height,
      bytes: video.bytes,
    };
    try {
      await placeVideo(files, run.folder, video, file);
    } catch (error) {
      await undo();
      throw error;
    }
    return {
      undo,
      save: async ({ tx, afterCommit }) => {
        await store.insert(tx, { ...recording, isPublic: await store.hasNewPublic(job.account, tx) });
        afterCommit(() => onChange(job.account));
        return { file };
      },
    };
  }
  /** Keeps the file where the operator can examine it, and shows the reason on the page. */
  async function setAside({ job, input, folder }: JobRun<VideoInput>, name: string, reason: string): Promise<void> {
    const file = `job-${job.id}${extname(name)}`;
    // The row is inserted first: if the server is killed in between, the job restarts, and no undeletable file is left.
    await database.transaction(({ tx }) =>
      store.insertBroken(tx, { account: job.account, name: input.name, file, reason }, now()),
    );
    try {
      await files.importFile(join(folder, name), getBrokenPath(job.account, file));
    } catch (error) {
      await database.transaction(({ tx }) => store.removeBrokenFile(tx, job.account, file));
      throw error;
    }
    onChange(job.account);
  }
  /**
   * Returns the file to the inbox, under another name if its name is taken by now. Uploads are then handled like other
   * files.
   */
  async function returnToInbox({ job, input, folder }: JobRun<VideoInput>, name: string): Promise<void> {
    const path = join(getInboxPath(context), input.path.replace(/\.part$/, ''));
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const isFree = !(await exists(path));
    await moveFile(join(folder, name), isFree ? path : join(dirname(path), `job-${job.id} ${basename(path)}`));
  }
  /** Returns the setup problem that prevents conversion; empty if there is none. */
  async function findSetupProblem(error: unknown, account: number): Promise<string> {
    if (error instanceof JobFailure && error.cause instanceof ProgramNotFoundError) await programs.refresh();
    return programs.getSetupProblem('convert', account);
  }
  /** Saves the recording after the last attempt, because its folder is deleted with the job. Returns the reason. */
  async function saveAfterFailure(run: JobRun<VideoInput>, name: string, error: unknown): Promise<string> {
    // Removes files of an attempt that a killed server interrupted.
    await removeVideo(files, getVideoFileName(context, run.job)).catch((fault: unknown) => {
      log.error({ err: fault, job: run.job.id }, 'gallery.video.cleanup_failed');
    });
    const setupProblem = await findSetupProblem(error, run.job.account);
    if (setupProblem !== '') {
      await returnToInbox(run, name);
      return setupProblem;
    }
    const reason = error instanceof JobFailure ? error.message : FAULT_MESSAGE;
    if (reason === FAULT_MESSAGE) log.error({ err: error, job: run.job.id }, 'gallery.video.failed');
    try {
      await setAside(run, name, reason);
    } catch (fault) {
      log.error({ err: fault, job: run.job.id }, 'gallery.video.set_aside_failed');
      await returnToInbox(run, name);
    }
    return reason;
  }

  let lastProgress = '';
  return defineJobKind<VideoInput>({
    name: VIDEO,
    input: videoInput,
    maxConcurrent: 1,
    // For a recording that could be neither put aside nor returned.
    keepsFolder: true,
    run: async (run) => {
      const name = await fetchFile(run);
      try {
        // At the next start the queue would fail the job, and delete its folder.
        if (run.job.attempt >= MAX_STARTS) throw new JobFailure('final', TOO_MANY_STARTS_MESSAGE);
        return await createOutcome(run, await processOrSalvage(run, name));
      } catch (error) {
        const isFinal = error instanceof JobFailure && error.retry === 'final';
        if (run.signal.aborted || !(isFinal || run.job.attempt >= MAX_ATTEMPTS)) throw error;
        throw new JobFailure('final', await saveAfterFailure(run, name, error), { cause: error });
      }
    },
    onChange: ({ id, account, state, percent = 0 }) => {
      // Ten steps are enough to show progress.
      const progress = `${id} ${state} ${Math.floor(percent / 10)}`;
      if (progress === lastProgress) return;
      lastProgress = progress;
      onChange(account);
    },
  });
}
