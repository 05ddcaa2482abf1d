import type { ProcessRunner } from '../children/children.ts';
import { processSong, retag } from './audio.ts';
import { createFfmpeg } from './ffmpeg.ts';
import type { Media } from './media.ts';
import { probeMedia } from './probe.ts';
import { processVideo, salvageVideo } from './video.ts';

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
