import type { ProcessRunner } from '../programs/childProcesses.ts';
import { createFfmpeg } from './ffmpeg.ts';
import { processSong, retag } from './finishSong.ts';
import { processVideo, salvageVideo } from './finishVideo.ts';
import type { Media } from './media.ts';
import { probeMedia } from './probe.ts';

export const createMedia = (children: ProcessRunner): Media => {
  const ffmpeg = createFfmpeg(children);
  return {
    probe: (among, file) => probeMedia(ffmpeg, among, file),
    processSong: (source) => processSong(ffmpeg, source),
    retag: (song) => retag(ffmpeg, song),
    processVideo: (source) => processVideo(ffmpeg, source),
    salvageVideo: (source, to) => salvageVideo(ffmpeg, source, to),
  };
};
