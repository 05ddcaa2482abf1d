import { randomBytes } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import * as z from 'zod/mini';
import { assertPlainFile } from '#platform/server/files.ts';
import { JobFailure, jobKind, type JobKind, type JobOutcome, type JobRun } from '#platform/server/jobs/jobs.ts';
import { MOST_STARTS, MOST_TRIES } from '#platform/server/jobs/tries.ts';
import type { FinishedVideo } from '#platform/server/media/media.ts';
import { moveFile } from '#platform/server/otherDisk.ts';
import { isCode } from '#platform/server/systemError.ts';
import type { Ground } from '#platform/server/tool.ts';
import { pictureName, type Recording, videoName } from '../domain/recording.ts';
import { startFromName, titleFromName } from '../domain/recordingName.ts';
import { brokenName } from './folders.ts';
import { inboxFolder } from './inbox.ts';
import type { GalleryStore } from './store.ts';

export const VIDEO = 'video';
const SAVED = 'saved.mkv';
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

type VideoGround = Pick<Ground, 'files' | 'media' | 'identity' | 'database' | 'log' | 'now'>;

interface VideoJobOptions {
  readonly ground: VideoGround;
  readonly store: GalleryStore;
  readonly changed: (account: number) => void;
}

/** 128 random bits; no name of ours begins with a dash. */
const newFile = (): string => {
  for (;;) {
    const file = randomBytes(16).toString('base64url');
    if (!file.startsWith('-')) return file;
  }
};

const isThere = async (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Whether something is missing at its end: of one that was killed its container does not say how long it is. */
const wasCut = ({ announced, seconds }: FinishedVideo): boolean =>
  announced === undefined || seconds < announced - Math.max(TOLERANCE_SECONDS, TOLERANCE_SHARE * announced);

/** Makes what was put into the inbox, or handed in by a computer, a recording of the gallery. */
export const videoJob = ({ ground, store, changed }: VideoJobOptions): JobKind => {
  const { files, media, identity, database, log, now } = ground;

  /** From the inbox into the job's folder, at the first try; by a plain name of ours. */
  const fetch = async ({ folder, input }: JobRun<VideoInput>): Promise<string> => {
    const name = `media${/^\.[a-z0-9]{1,5}$/i.exec(extname(input.name))?.[0].toLowerCase() ?? '.mkv'}`;
    const own = join(folder, name);
    if (await isThere(own)) return name;
    try {
      await moveFile(join(inboxFolder(ground), input.path), own);
    } catch (error) {
      if (isCode(error, 'ENOENT')) throw new JobFailure('final', 'It was taken away again', { cause: error });
      throw error;
    }
    await assertPlainFile(own);
    return name;
  };
  const finish = async (run: JobRun<VideoInput>, name: string): Promise<FinishedVideo> =>
    media.finishVideo({
      folder: run.folder,
      name,
      signal: run.signal,
      onProgress: (percent) => run.progress({ percent }),
    });
  /** The whole recording, or what there is of it. */
  const finishOrSave = async (
    run: JobRun<VideoInput>,
    name: string,
  ): Promise<{ readonly video: FinishedVideo; readonly isCut: boolean }> => {
    let failure = new JobFailure('final', 'It has no end, and nothing of it can be read');
    if (!run.input.isCut) {
      try {
        const video = await finish(run, name);
        return { video, isCut: wasCut(video) };
      } catch (error) {
        if (run.signal.aborted || !(error instanceof JobFailure)) throw error;
        failure = error;
      }
    }
    const isSaved = await media.salvageVideo({ folder: run.folder, name, signal: run.signal }, SAVED);
    if (!isSaved) throw failure;
    return { video: await finish(run, SAVED), isCut: true };
  };
  const startOf = async ({ job, input }: JobRun<VideoInput>, seconds: number): Promise<number> => {
    const named = startFromName(input.name, await identity.zone(job.account));
    return (named ?? input.modifiedMs - seconds * 1000) / 1000;
  };
  const outcomeOf = async (
    run: JobRun<VideoInput>,
    { video, isCut }: { readonly video: FinishedVideo; readonly isCut: boolean },
  ): Promise<JobOutcome> => {
    const { job, input, folder } = run;
    const file = newFile();
    const undo = async (): Promise<void> => {
      await Promise.all([files.remove(videoName(file)), files.remove(pictureName(file))]);
    };
    const recording: Omit<Recording, 'end' | 'isPublic'> = {
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
      await files.place(join(folder, video.thumbnail), pictureName(file));
      await files.place(join(folder, video.name), videoName(file));
    } catch (error) {
      await undo();
      throw error;
    }
    return {
      undo,
      keep: async ({ tx, afterCommit }) => {
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
    await files.place(join(folder, name), brokenName(job.account, file));
    changed(job.account);
  };

  let told = '';
  return jobKind<VideoInput>({
    name: VIDEO,
    input: videoInput,
    atMost: 1,
    run: async (run) => {
      const name = await fetch(run);
      try {
        // One start more, and the queue would give it up by itself, with its folder.
        if (run.job.attempt >= MOST_STARTS) throw new JobFailure('final', TOO_OFTEN);
        return await outcomeOf(run, await finishOrSave(run, name));
      } catch (error) {
        const isFinal = error instanceof JobFailure && error.means === 'final';
        if (run.signal.aborted || !(isFinal || run.job.attempt >= MOST_TRIES)) throw error;
        // Its folder goes with the job, and nothing else has the recording.
        const reason = error instanceof JobFailure ? error.message : FAULT;
        if (reason === FAULT) log.error({ err: error, job: run.job.id }, 'recording put aside');
        await putAside(run, name, reason);
        throw new JobFailure('final', reason, { cause: error });
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
};
