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
import { hasErrorCode } from '#platform/server/storage/diskSpace.ts';
import { assertRegularFile, moveFile } from '#platform/server/storage/fileStorage.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import type { GalleryRecording } from '../domain/recording.ts';
import { startFromName, titleFromName } from '../domain/recordingName.ts';
import { brokenName, fileOf, placeVideo, removeVideo } from './galleryFiles.ts';
import type { GalleryStore } from './galleryStore.ts';
import { inboxFolder } from './inbox.ts';

export const VIDEO = 'video';
const SAVED = 'saved.mkv';
const EMPTY = 'Empty file';
const CUT_OFF = 'Unreadable: the recording was cut off';
const TOO_OFTEN = 'The server ended again and again while this was converted';
const FAULT = 'Something went wrong on the server; its operator finds it in the log';
/** A recording that is shorter than it says by more than this was cut. */
const TOLERANCE_SECONDS = 2;
const TOLERANCE_SHARE = 0.01;

export const videoInput = z.object({
  /** Below the inbox. */
  path: z.string(),
  /** As whoever recorded it called it. */
  name: z.string(),
  modifiedMs: z.number(),
  /** Nobody will end it any more. */
  isCut: z.boolean(),
});
export type VideoInput = z.output<typeof videoInput>;

type VideoJobDeps = Pick<
  ServerContext,
  'files' | 'media' | 'identity' | 'database' | 'links' | 'programs' | 'log' | 'now'
>;

interface VideoJobOptions {
  readonly ground: VideoJobDeps;
  readonly store: GalleryStore;
  readonly changed: (account: number) => void;
}

const isThere = async (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Whether something is missing at its end: of one that was killed its container does not say how long it is. */
const wasCut = ({ announced, seconds }: ProcessedVideo): boolean =>
  announced === undefined || seconds < announced - Math.max(TOLERANCE_SECONDS, TOLERANCE_SHARE * announced);

/** Makes what was put into the inbox, or handed in by a computer, a recording of the gallery. */
export function videoJob({ ground, store, changed }: VideoJobOptions): JobKind {
  const { files, media, identity, database, programs, log, now } = ground;

  /** From the inbox into the job's folder, at the first try; by a plain name of ours. */
  const fetch = async ({ folder, input }: JobRun<VideoInput>): Promise<string> => {
    const name = `media${/^\.[a-z0-9]{1,5}$/i.exec(extname(input.name))?.[0].toLowerCase() ?? '.mkv'}`;
    const own = join(folder, name);
    try {
      if (!(await isThere(own))) await moveFile(join(inboxFolder(ground), input.path), own);
    } catch (error) {
      if (hasErrorCode(error, 'ENOENT')) throw new JobFailure('final', 'It was taken away again', { cause: error });
      throw error;
    }
    await assertRegularFile(own);
    return name;
  };
  const finish = async (run: JobRun<VideoInput>, name: string): Promise<ProcessedVideo> =>
    media.processVideo({
      folder: run.folder,
      name,
      signal: run.signal,
      onProgress: (percent) => run.reportProgress({ percent }),
    });
  /** The whole recording, or what there is of it. */
  const finishOrSave = async (
    run: JobRun<VideoInput>,
    name: string,
  ): Promise<{ readonly video: ProcessedVideo; readonly isCut: boolean }> => {
    if ((await lstat(join(run.folder, name))).size === 0) throw new JobFailure('final', EMPTY);
    let failure = new JobFailure('final', CUT_OFF);
    if (!run.input.isCut) {
      try {
        const video = await finish(run, name);
        return { video, isCut: wasCut(video) };
      } catch (error) {
        if (run.signal.aborted || !(error instanceof JobFailure)) throw error;
        // What passes leaves it whole: it is tried again before less of it is saved.
        if (error.retry === 'again' && run.job.attempt < MAX_ATTEMPTS) throw error;
        failure = error;
        if (error.message === NO_VIDEO_MESSAGE) throw error;
      }
    }
    const isSaved = await media.salvageVideo({ folder: run.folder, name, signal: run.signal }, SAVED);
    if (!isSaved) throw failure;
    return { video: await finish(run, SAVED), isCut: true };
  };
  const startOf = async ({ job, input }: JobRun<VideoInput>, seconds: number): Promise<number> => {
    const named = startFromName(input.name, await identity.resolveZone(job.account), input.modifiedMs);
    return (named ?? input.modifiedMs - seconds * 1000) / 1000;
  };
  const outcomeOf = async (
    run: JobRun<VideoInput>,
    { video, isCut }: { readonly video: ProcessedVideo; readonly isCut: boolean },
  ): Promise<JobOutcome> => {
    const { job, input } = run;
    const file = fileOf(ground, job);
    const undo = (): Promise<void> => removeVideo(files, file);
    const recording: Omit<GalleryRecording, 'end' | 'isPublic'> = {
      file,
      isCut,
      account: job.account,
      title: titleFromName(input.name),
      start: await startOf(run, video.seconds),
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
        await store.add(tx, { ...recording, isPublic: await store.newPublic(job.account, tx) });
        afterCommit(() => changed(job.account));
        return { file };
      },
    };
  };
  /** It is kept where somebody may look at it by other means, and the page says why. */
  const putAside = async ({ job, input, folder }: JobRun<VideoInput>, name: string, reason: string): Promise<void> => {
    const file = `job-${job.id}${extname(name)}`;
    // First the line: where the server is killed in between the job begins again, and no file lies there that nobody can delete.
    await database.transaction(({ tx }) =>
      store.addBroken(tx, { account: job.account, name: input.name, file, reason }, now()),
    );
    try {
      await files.importFile(join(folder, name), brokenName(job.account, file));
    } catch (error) {
      await database.transaction(({ tx }) => store.takeBackBroken(tx, job.account, file));
      throw error;
    }
    changed(job.account);
  };
  /** Into the inbox, where it lay before, or beside what has its name there by now. What computers hand in is taken from there as any other file is. */
  const giveBack = async ({ job, input, folder }: JobRun<VideoInput>, name: string): Promise<void> => {
    const path = join(inboxFolder(ground), input.path.replace(/\.part$/, ''));
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const isFree = !(await isThere(path));
    await moveFile(join(folder, name), isFree ? path : join(dirname(path), `job-${job.id} ${basename(path)}`));
  };
  /** Why nothing can be converted here; empty where that is not it. */
  const lackOf = async (error: unknown, account: number): Promise<string> => {
    if (error instanceof JobFailure && error.cause instanceof ProgramNotFoundError) await programs.refresh();
    return programs.getSetupProblem('convert', account);
  };
  /** There is no further try. Its folder goes with the job, and nothing else has the recording. Gives why. */
  const layDown = async (run: JobRun<VideoInput>, name: string, error: unknown): Promise<string> => {
    // Of a try that a killed server broke off.
    await removeVideo(files, fileOf(ground, run.job)).catch((fault: unknown) => {
      log.error({ err: fault, job: run.job.id }, 'what there is of a video stays');
    });
    const lack = await lackOf(error, run.job.account);
    if (lack !== '') {
      await giveBack(run, name);
      return lack;
    }
    const reason = error instanceof JobFailure ? error.message : FAULT;
    if (reason === FAULT) log.error({ err: error, job: run.job.id }, 'recording put aside');
    try {
      await putAside(run, name, reason);
    } catch (fault) {
      log.error({ err: fault, job: run.job.id }, 'recording not put aside: it goes back into the inbox');
      await giveBack(run, name);
    }
    return reason;
  };

  let told = '';
  return defineJobKind<VideoInput>({
    name: VIDEO,
    input: videoInput,
    atMost: 1,
    // Of one that could be neither put aside nor given back.
    keepsFolder: true,
    run: async (run) => {
      const name = await fetch(run);
      try {
        // One start more, and the queue would give it up by itself, with its folder.
        if (run.job.attempt >= MAX_STARTS) throw new JobFailure('final', TOO_OFTEN);
        return await outcomeOf(run, await finishOrSave(run, name));
      } catch (error) {
        const isFinal = error instanceof JobFailure && error.retry === 'final';
        if (run.signal.aborted || !(isFinal || run.job.attempt >= MAX_ATTEMPTS)) throw error;
        throw new JobFailure('final', await layDown(run, name, error), { cause: error });
      }
    },
    changed: ({ id, account, state, percent = 0 }) => {
      // Ten steps are enough to see that it goes on.
      const telling = `${id} ${state} ${Math.floor(percent / 10)}`;
      if (telling === told) return;
      told = telling;
      changed(account);
    },
  });
}
