import type { FinishedSong } from './media.ts';

/** What a song is made into, and how. */
export interface Form {
  readonly extension: FinishedSong['extension'];
  readonly type: FinishedSong['type'];
  /** For ffmpeg. */
  readonly codec: readonly string[];
  /** For ffmpeg. */
  readonly container: readonly string[];
}

export const CONTAINERS: Readonly<Record<FinishedSong['extension'], readonly string[]>> = {
  mp3: ['-id3v2_version', '3', '-f', 'mp3'],
  m4a: ['-movflags', '+faststart', '-f', 'ipod'],
};

const COPY = ['-c:a', 'copy'];
const MP3 = { extension: 'mp3', type: 'audio/mpeg', container: CONTAINERS.mp3 } as const;

const COPIED_AAC: Form = { extension: 'm4a', type: 'audio/mp4', codec: COPY, container: CONTAINERS.m4a };
const COPIED_MP3: Form = { ...MP3, codec: COPY };
const ENCODED: Form = { ...MP3, codec: ['-c:a', 'libmp3lame', '-q:a', '2'] };

/** Sound that every browser and phone plays stays as it is; all else becomes MP3. By ffmpeg's name of the codec. */
export const formOf = (codec: string): Form => {
  if (codec === 'aac') return COPIED_AAC;
  return codec === 'mp3' ? COPIED_MP3 : ENCODED;
};

/** Names of codecs as music-metadata has them, which differ by container. */
const NAMES: readonly (readonly [RegExp, Form])[] = [
  [/^(MPEG-4\/)?AAC\b/, COPIED_AAC],
  [/^(MPEG [\d.]+ Layer 3|MPEG\/L3|MPEGLAYER3)$/, COPIED_MP3],
  [/^(MPEG [\d.]+ Layer [12]|MPEG\/L[12]|ALAC|AC-?3|PCM\b|FLAC|Opus|Vorbis\b)/i, ENCODED],
];

/** The same by music-metadata's name; undefined where that says too little. */
export const formNamed = (name = ''): Form | undefined => NAMES.find(([pattern]) => pattern.test(name))?.[1];
