import type { Children } from '../children/children.ts';
import { finishSong, retag } from './audio.ts';
import { makeFfmpeg } from './ffmpeg.ts';
import type { Media } from './media.ts';
import { probe } from './probe.ts';
import { finishVideo, salvageVideo } from './video.ts';

export const makeMedia = (children: Children): Media => {
  const ffmpeg = makeFfmpeg(children);
  return {
    probe: (among, file) => probe(ffmpeg, among, file),
    finishSong: (source) => finishSong(ffmpeg, source),
    retag: (song) => retag(ffmpeg, song),
    finishVideo: (source) => finishVideo(ffmpeg, source),
    salvageVideo: (source, to) => salvageVideo(ffmpeg, source, to),
  };
};
