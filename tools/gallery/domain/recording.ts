/** Times of a recording in seconds since the epoch. */
export interface RecordingTimes {
  readonly start: number;
  readonly end: number;
}

export interface Session<R extends RecordingTimes> extends RecordingTimes {
  /** Sorted by time. */
  readonly recordings: readonly R[];
}

/** A pause of this length starts a new session. */
export const GAP_SECONDS = 30 * 60;

interface OpenSession<R> {
  readonly start: number;
  end: number;
  readonly recordings: R[];
}

/** Groups recordings to sessions, newest first. A short recording within a longer one does not end the session. */
export function groupBySession<R extends RecordingTimes>(recordings: readonly R[]): readonly Session<R>[] {
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

export interface GalleryRecording extends RecordingTimes {
  /** 22 random characters: the base name of its video and its picture. */
  readonly file: string;
  readonly account: number;
  /** '' if it has none; its time is shown instead. */
  readonly title: string;
  /** Seconds. */
  readonly duration: number;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  readonly isPublic: boolean;
  /** The recording has no end, and was salvaged. */
  readonly isCut: boolean;
}

export const VIDEOS_FOLDER = 'gallery/videos';
export function getVideoPath(file: string): string {
  return `${VIDEOS_FOLDER}/${file}.webm`;
}
export function getPicturePath(file: string): string {
  return `${VIDEOS_FOLDER}/${file}.png`;
}

/** Purpose of a signed address: it gives access to the video and its picture. */
export function getVideoPurpose(file: string): string {
  return `video:${file}`;
}
