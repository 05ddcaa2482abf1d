import type { RecordingTimes } from './sessions.ts';

/** A recording as the gallery keeps it. */
export interface GalleryRecording extends RecordingTimes {
  /** 22 characters that nobody guesses: the name of its video and its picture. */
  readonly file: string;
  readonly account: number;
  /** '' where it has none: its time stands for it. */
  readonly title: string;
  /** Seconds. */
  readonly duration: number;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  readonly isPublic: boolean;
  /** It had no end, and was saved as far as it goes. */
  readonly isCut: boolean;
}

export const VIDEOS = 'gallery/videos';
export const videoName = (file: string): string => `${VIDEOS}/${file}.webm`;
export const pictureName = (file: string): string => `${VIDEOS}/${file}.png`;

/** What a signed address of a recording lets whoever has it see: the video and its picture. */
export const videoPurpose = (file: string): string => `video:${file}`;
