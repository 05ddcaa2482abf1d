import type { ServerContext, DataProblem } from '#platform/server/tool.ts';
import { pictureName, type GalleryRecording, videoName, VIDEOS } from '../domain/recording.ts';
import type { GalleryStore } from './galleryStore.ts';

const byHand = (sentence: string): DataProblem => ({ message: sentence, repair: 'by hand' });

const missing = ({ file, start, account }: GalleryRecording): DataProblem =>
  byHand(
    `the video of ${new Date(start * 1000).toISOString()} of account ${account} is missing: put ${videoName(file)} back, or delete the recording on its page`,
  );

/** Whether every recording has its video, and every video its recording. Which of two that do not fit is right only a person knows. */
export const checkVideos = async (
  { files }: Pick<ServerContext, 'files'>,
  store: Pick<GalleryStore, 'all'>,
): Promise<readonly DataProblem[]> => {
  const before = await store.all();
  const there = new Set(await files.list(VIDEOS));
  // What came or was deleted meanwhile is not wrong.
  const after = await store.all();
  const kept = new Set(after.map(({ file }) => file));
  const ours = new Set([...before, ...after].flatMap(({ file }) => [videoName(file), pictureName(file)]));
  return [
    ...before.filter(({ file }) => kept.has(file) && !there.has(videoName(file))).map(missing),
    ...[...there]
      .filter((name) => !ours.has(name))
      .map((name) => byHand(`${name} belongs to no recording: delete it, or move it into the inbox`)),
  ];
};
