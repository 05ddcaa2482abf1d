import { JobFailure } from '../jobs/jobQueue.ts';

/** There is less of a song than was announced: it has to be fetched once more. */
export class IncompleteSongFailure extends JobFailure {}

/** What a file is, as its container says. Nothing of it is proved before the file has been decoded. */
export interface Probe {
  /** Of ffmpeg, such as `mov,mp4,m4a,3gp,3g2,mj2`. */
  readonly format: string;
  /** Announced by the container; undefined where it says none. */
  readonly seconds: number | undefined;
  /** Of the file and its sound, as ffmpeg names them. */
  readonly tags: Readonly<Record<string, string>>;
  readonly audio: { readonly codec: string } | undefined;
  /** Pictures within songs are none. */
  readonly video: VideoStream | undefined;
}

export interface VideoStream {
  readonly codec: string;
  readonly width: number;
  readonly height: number;
  /** Such as `yuv420p`. */
  readonly pixels: string;
  /** How its values become light, such as `bt709`, `smpte2084` (PQ) and `arib-std-b67` (HLG); empty where it does not say. */
  readonly transfer: string;
  /** Such as `bt709` and `bt2020`; empty where it does not say. */
  readonly primaries: string;
}

/** Why a file that has sound and nothing else is no video. */
export const NO_VIDEO_MESSAGE = 'No picture in this file';

/** ReplayGain 2: how much louder a song has to be played to sound as loud as all others. */
export interface Loudness {
  /** In dB. */
  readonly gain: number;
  /** The largest sample, 1 being full scale. */
  readonly peak: number;
}

export interface SongTags {
  readonly title: string;
  readonly artist: string;
  readonly album: string;
}

/** What a file says of its song beside its title, artist and album. */
export interface SongDetails {
  /** Those who play it one by one, where the file names several; else none. */
  readonly artists: readonly string[];
  readonly albumArtist: string;
  readonly isCompilation: boolean;
  /** 0 where the file does not say, as the disc and the year. */
  readonly track: number;
  readonly disc: number;
  readonly year: number;
  /** Several are apart by semicolons. */
  readonly genre: string;
}

/** A song that was fetched or handed in, in the folder of its job. */
export interface SongSource {
  readonly folder: string;
  /** A plain name in the folder. */
  readonly name: string;
  /** What its page says; the container's word is taken as well. */
  readonly announcedSeconds?: number | undefined;
  /** Wherever one is empty the file's own tags stand in; for a title at last `fallbackTitle`. */
  readonly tags: Partial<SongTags>;
  readonly fallbackTitle: string;
  /** A file that players can play stays as it is, byte by byte; whatever else loses nothing by its conversion. */
  readonly keepsFile?: boolean | undefined;
  /** Name of a picture in the folder; without it the one inside the file. */
  readonly cover?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** 0 to 100 over all steps. */
  readonly onProgress?: (percent: number) => void;
  /** How long each step took. */
  readonly onStep?: (step: SongStep, ms: number) => void;
}
export type SongStep = 'probe' | 'decode' | 'picture' | 'convert' | 'verify';

/** A song as the library keeps it: checked, converted, tagged, checked again. Names are of files in the folder that it came from. */
export interface ProcessedSong {
  readonly name: string;
  readonly extension: 'mp3' | 'm4a' | 'flac' | 'opus' | 'ogg' | 'wav';
  readonly type: 'audio/mpeg' | 'audio/mp4' | 'audio/flac' | 'audio/ogg' | 'audio/wav';
  readonly seconds: number;
  readonly bytes: number;
  /** Of all its bytes, as zip has it. */
  readonly crc32: number;
  readonly tags: SongTags;
  readonly details: SongDetails;
  readonly loudness: Loudness;
  /** `image/webp`, 320 px square; undefined where there is none, or a broken one. */
  readonly thumbnail: string | undefined;
  /** CSS, of the picture. */
  readonly colour: string;
}

/** A recording in the folder of its job. */
export interface VideoSource {
  readonly folder: string;
  readonly name: string;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (percent: number) => void;
}

export interface ProcessedVideo {
  /** `video/webm`, in the folder. */
  readonly name: string;
  /** `image/png`, in the folder. */
  readonly thumbnail: string;
  readonly seconds: number;
  /** How long its source said that it is; one whose recorder was killed says nothing. */
  readonly announced: number | undefined;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
}

/** Checks, converts and tags foreign sound and pictures, by ffmpeg in limits (notes on media, 'Checking and converting'). Each throws JobFailure with a sentence. */
export interface Media {
  /** What a file says that it is, among sound (`audio`) or recordings (`video`). @throws JobFailure `final` where it is neither. */
  readonly probe: (
    among: 'audio' | 'video',
    file: { readonly folder: string; readonly name: string; readonly signal?: AbortSignal | undefined },
  ) => Promise<Probe>;
  /** @throws JobFailure: no sound in it (`final`), incomplete (`again`), conversion failed (`again`). */
  readonly processSong: (source: SongSource) => Promise<ProcessedSong>;
  /** Writes other tags into a copy of a finished song, `to` in `folder`; the sound, the picture and all other tags are the same. */
  readonly retag: (song: {
    /** Absolute. */
    readonly from: string;
    readonly folder: string;
    readonly to: string;
    readonly tags: SongTags;
    readonly loudness: Loudness;
    readonly signal?: AbortSignal | undefined;
  }) => Promise<{ readonly bytes: number; readonly crc32: number }>;
  /** webm with a picture of a tenth of its length: copied where browsers play it as it is, else VP9 and Opus. */
  readonly processVideo: (source: VideoSource) => Promise<ProcessedVideo>;
  /** Saves what can be read of a recording without an end, into `to` in the folder; false where nothing can. */
  readonly salvageVideo: (source: VideoSource, to: string) => Promise<boolean>;
}
