import { JobFailure } from '../jobs/jobQueue.ts';

/** The song is shorter than announced and must be downloaded again. */
export class IncompleteSongFailure extends JobFailure {}

/** What a container says about a file. It is unverified until the file is decoded. */
export interface Probe {
  /** ffmpeg's name, such as `mov,mp4,m4a,3gp,3g2,mj2`. */
  readonly format: string;
  /** Length that the container announces; undefined if it announces none. */
  readonly seconds: number | undefined;
  /** Tags of the file and its audio stream, by ffmpeg's names. */
  readonly tags: Readonly<Record<string, string>>;
  readonly audio: { readonly codec: string } | undefined;
  /** The video stream; undefined if there is none. Covers of songs do not count. */
  readonly video: VideoStream | undefined;
}

/** The video stream of a file. */
export interface VideoStream {
  readonly codec: string;
  readonly width: number;
  readonly height: number;
  /** Pixel format, such as `yuv420p`. */
  readonly pixels: string;
  /** Transfer function, such as `bt709`, `smpte2084` (PQ) and `arib-std-b67` (HLG); may be empty. */
  readonly transfer: string;
  /** Colour primaries, such as `bt709` and `bt2020`; may be empty. */
  readonly primaries: string;
}

/** Refusal of a video that only has audio. */
export const NO_VIDEO_MESSAGE = 'No video in this file, only sound';

/** ReplayGain 2: the change of level at which a song sounds as loud as all others. */
export interface Loudness {
  /** Change of level in dB. */
  readonly gain: number;
  /** The largest sample; 1 is full scale. */
  readonly peak: number;
}

/** Tags that users can edit. */
export interface SongTags {
  readonly title: string;
  readonly artist: string;
  readonly album: string;
}

/** Tags of a song besides title, artist and album. */
export interface SongDetails {
  /** Separate artists, if there are several. */
  readonly artists: readonly string[];
  readonly albumArtist: string;
  readonly isCompilation: boolean;
  /** 0 if unknown. */
  readonly track: number;
  /** 0 if unknown. */
  readonly disc: number;
  /** 0 if unknown. */
  readonly year: number;
  /** Genres, separated by semicolons. */
  readonly genre: string;
}

/** A downloaded or uploaded song in the folder of its job. */
export interface SongSource {
  readonly folder: string;
  /** File name, relative to the folder. */
  readonly name: string;
  /** Length that the page announces. The length in the container is used as well. */
  readonly announcedSeconds?: number | undefined;
  /** Tags to write. Empty ones are replaced by the file's tags, and then an empty title by `fallbackTitle`. */
  readonly tags: Partial<SongTags>;
  readonly fallbackTitle: string;
  /** Leaves playable files unchanged, and converts others without loss. */
  readonly keepsFile?: boolean | undefined;
  /** Name of a picture in the folder; default: the picture in the file. */
  readonly cover?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with 0 to 100 over all steps. */
  readonly onProgress?: (percent: number) => void;
  /** Called with the duration of each step. */
  readonly onStep?: (step: SongStep, ms: number) => void;
}
export type SongStep = 'probe' | 'decode' | 'picture' | 'convert' | 'verify';

/** A song for the library: decoded, converted, tagged and verified. File names are relative to the source's folder. */
export interface ProcessedSong {
  readonly name: string;
  readonly extension: 'mp3' | 'm4a' | 'flac' | 'opus' | 'ogg' | 'wav';
  readonly type: 'audio/mpeg' | 'audio/mp4' | 'audio/flac' | 'audio/ogg' | 'audio/wav';
  readonly seconds: number;
  readonly bytes: number;
  /** Checksum of the whole file, as in zip files. */
  readonly crc32: number;
  readonly tags: SongTags;
  readonly details: SongDetails;
  readonly loudness: Loudness;
  /** `image/webp`, 320 px square; undefined if the song has no picture, or a damaged one. */
  readonly thumbnail: string | undefined;
  /** CSS colour of the picture. */
  readonly colour: string;
}

/** A recording in the folder of its job. */
export interface VideoSource {
  readonly folder: string;
  readonly name: string;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (percent: number) => void;
}

/** A converted recording. */
export interface ProcessedVideo {
  /** Name of the video in the folder (`video/webm`). */
  readonly name: string;
  /** Name of the thumbnail in the folder (`image/png`). */
  readonly thumbnail: string;
  readonly seconds: number;
  /** Length that the source announces; undefined if the recorder was killed. */
  readonly announcedSeconds: number | undefined;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
}

/** Checks, converts and tags untrusted media with ffmpeg, within limits. Methods throw JobFailure with a message. */
export interface Media {
  /**
   * Returns what the container of a file claims.
   * @throws JobFailure `final` if it has no audio, or no video for `video`.
   */
  readonly probe: (
    kind: 'audio' | 'video',
    file: { readonly folder: string; readonly name: string; readonly signal?: AbortSignal | undefined },
  ) => Promise<Probe>;
  /**
   * Checks, converts and tags a song.
   * @throws JobFailure: no audio (`final`), incomplete (`again`), conversion failed (`again`).
   */
  readonly processSong: (source: SongSource) => Promise<ProcessedSong>;
  /** Copies a processed song to `to` in `folder` with new tags. Audio, picture and all other tags stay the same. */
  readonly retag: (song: {
    /** Absolute path of the song. */
    readonly from: string;
    readonly folder: string;
    readonly to: string;
    readonly tags: SongTags;
    readonly loudness: Loudness;
    readonly signal?: AbortSignal | undefined;
  }) => Promise<{ readonly bytes: number; readonly crc32: number }>;
  /**
   * Converts a recording to webm, with a thumbnail at a tenth of its length.
   * Playable streams are copied, others become VP9 and Opus.
   */
  readonly processVideo: (source: VideoSource) => Promise<ProcessedVideo>;
  /** Saves the readable part of an unfinished recording to `to` in the folder. Returns false if there is none. */
  readonly salvageVideo: (source: VideoSource, to: string) => Promise<boolean>;
}
