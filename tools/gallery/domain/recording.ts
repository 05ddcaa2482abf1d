/** When something was recorded, in seconds since the epoch. */
export interface RecordingTimes {
  readonly start: number;
  readonly end: number;
}

export interface Session<R extends RecordingTimes> extends RecordingTimes {
  /** In order of time. */
  readonly recordings: readonly R[];
}

/** Whoever records again within this time goes on with the same session. */
export const GAP_SECONDS = 30 * 60;

interface OpenSession<R> {
  readonly start: number;
  end: number;
  readonly recordings: R[];
}

/** Recordings as sessions, newest first: one begins where nothing was recorded for half an hour. A short one inside a longer one does not end it. */
export function sessionsOf<R extends RecordingTimes>(recordings: readonly R[]): readonly Session<R>[] {
  const sessions: OpenSession<R>[] = [];
  for (const recording of recordings.toSorted((one, other) => one.start - other.start || one.end - other.end)) {
    const last = sessions.at(-1);
    if (last && recording.start - last.end < GAP_SECONDS) {
      last.recordings.push(recording);
      last.end = Math.max(last.end, recording.end);
    } else sessions.push({ start: recording.start, end: recording.end, recordings: [recording] });
  }
  return sessions.toReversed();
}

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
export function videoName(file: string): string {
  return `${VIDEOS}/${file}.webm`;
}
export function pictureName(file: string): string {
  return `${VIDEOS}/${file}.png`;
}

/** What a signed address of a recording lets whoever has it see: the video and its picture. */
export function videoPurpose(file: string): string {
  return `video:${file}`;
}
