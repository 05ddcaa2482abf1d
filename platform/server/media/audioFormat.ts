import type { AudioStream } from './audioCheck.ts';
import type { ProcessedSong } from './media.ts';

/** Target format of a song, and the ffmpeg arguments for it. */
export interface AudioFormat {
  readonly extension: ProcessedSong['extension'];
  readonly type: ProcessedSong['type'];
  /** Codec arguments for ffmpeg. */
  readonly codec: readonly string[];
  /** Container arguments for ffmpeg. */
  readonly container: readonly string[];
  /** Used if ffmpeg cannot produce this format from the source. */
  readonly fallback?: AudioFormat;
}

export const CONTAINERS: Readonly<Record<ProcessedSong['extension'], readonly string[]>> = {
  mp3: ['-id3v2_version', '3', '-f', 'mp3'],
  m4a: ['-movflags', '+faststart', '-f', 'ipod'],
  flac: ['-f', 'flac'],
  opus: ['-f', 'opus'],
  ogg: ['-f', 'ogg'],
  wav: ['-f', 'wav'],
};

const COPY_CODEC = ['-c:a', 'copy'];
const MP3 = { extension: 'mp3', type: 'audio/mpeg', container: CONTAINERS.mp3 } as const;
const FLAC = { extension: 'flac', type: 'audio/flac', container: CONTAINERS.flac } as const;

/**
 * Creates a FLAC format with fallbacks, because FLAC supports at most 655,350 Hz and 8 channels.
 * DSD128 and recordings with many microphones exceed that.
 */
function createFlacFormat(...codec: readonly string[]): AudioFormat {
  const format = { ...FLAC, codec: ['-c:a', 'flac', ...codec] };
  const lowerRate = { ...format, codec: [...format.codec, '-ar', '352800'] };
  const stereo = { ...format, codec: [...format.codec, '-ac', '2', '-ar', '192000'] };
  return { ...format, fallback: { ...lowerRate, fallback: stereo } };
}
const LOSSLESS = createFlacFormat();
/** Format for lossy sources. 16 bits contain all of their audio, and more would only store noise. */
const LOSSLESS_16 = createFlacFormat('-sample_fmt', 's16');
const ENCODED: AudioFormat = {
  ...MP3,
  codec: ['-c:a', 'libmp3lame', '-q:a', '2'],
  fallback: { ...MP3, codec: ['-c:a', 'libmp3lame', '-q:a', '2', '-ac', '2', '-ar', '48000'] },
};

/** Copying fails if the source container lacks data that the target needs (Opus in CAF has no header). */
const COPIED_AAC: AudioFormat = {
  extension: 'm4a',
  type: 'audio/mp4',
  codec: COPY_CODEC,
  container: CONTAINERS.m4a,
  fallback: LOSSLESS_16,
};
const COPIED_MP3: AudioFormat = { ...MP3, codec: COPY_CODEC, fallback: LOSSLESS_16 };
const ALAC: AudioFormat = { ...COPIED_AAC, fallback: LOSSLESS };
const COPIED_FLAC: AudioFormat = { ...FLAC, codec: COPY_CODEC, fallback: LOSSLESS };
const OPUS: AudioFormat = {
  extension: 'opus',
  type: 'audio/ogg',
  codec: COPY_CODEC,
  container: CONTAINERS.opus,
  fallback: LOSSLESS_16,
};
const VORBIS: AudioFormat = {
  extension: 'ogg',
  type: 'audio/ogg',
  codec: COPY_CODEC,
  container: CONTAINERS.ogg,
  fallback: LOSSLESS_16,
};
const WAV: AudioFormat = { extension: 'wav', type: 'audio/wav', codec: COPY_CODEC, container: CONTAINERS.wav };

/** Files that players can play, by ffmpeg's names of container and codec. */
const PLAYABLE_FORMATS: readonly (readonly [container: RegExp, codec: RegExp, format: AudioFormat])[] = [
  [/^mp3$/, /^mp3$/, COPIED_MP3],
  [/^mov,/, /^aac$/, COPIED_AAC],
  [/^mov,/, /^alac$/, ALAC],
  [/^flac$/, /^flac$/, COPIED_FLAC],
  [/^ogg$/, /^opus$/, OPUS],
  [/^ogg$/, /^vorbis$/, VORBIS],
  [/^wav$/, /^pcm_(u8|s16le|s24le|s32le|f32le|f64le|alaw|mulaw)$/, WAV],
];

/** Returns the format of a file that players can play unchanged; undefined for all others. */
export function findPlayableFormat({ container, codec, hasVideo }: AudioStream): AudioFormat | undefined {
  return hasVideo ? undefined : PLAYABLE_FORMATS.find((entry) => entry[0].test(container) && entry[1].test(codec))?.[2];
}

/** Formats that copy the audio stream into a playable file, by codec. */
const COPY_FORMAT_BY_CODEC: Readonly<Record<string, AudioFormat>> = {
  mp3: COPIED_MP3,
  aac: COPIED_AAC,
  alac: ALAC,
  flac: COPIED_FLAC,
  opus: OPUS,
  vorbis: VORBIS,
};
const LOSSLESS_CODEC_PATTERN = /^(pcm_(?!alaw|mulaw)|ape|tta|wavpack|tak|shorten|wmalossless|mlp|truehd|als|dst|dsd_)/;

/** Chooses a format without any loss: a copy of the audio stream, or else FLAC. */
export function chooseLosslessFormat(codec: string): AudioFormat {
  const copyFormat = Object.hasOwn(COPY_FORMAT_BY_CODEC, codec) ? COPY_FORMAT_BY_CODEC[codec] : undefined;
  return copyFormat ?? (LOSSLESS_CODEC_PATTERN.test(codec) ? LOSSLESS : LOSSLESS_16);
}

/** Chooses a format by ffmpeg's codec name: audio that every browser plays is copied, all other becomes MP3. */
export function chooseFormat(codec: string): AudioFormat {
  if (codec === 'aac') return COPIED_AAC;
  return codec === 'mp3' ? COPIED_MP3 : ENCODED;
}

/** Formats by the codec names of music-metadata, which depend on the container. */
const FORMATS_BY_NAME: readonly (readonly [RegExp, AudioFormat])[] = [
  [/^(MPEG-4\/)?AAC\b/, COPIED_AAC],
  [/^(MPEG [\d.]+ Layer 3|MPEG\/L3|MPEGLAYER3)$/, COPIED_MP3],
  [/^(MPEG [\d.]+ Layer [12]|MPEG\/L[12]|ALAC|AC-?3|PCM\b|FLAC|Opus|Vorbis\b)/i, ENCODED],
];

/** Returns the format that `chooseFormat` chooses, by music-metadata's codec name; undefined if that is ambiguous. */
export function findFormatByName(name = ''): AudioFormat | undefined {
  return FORMATS_BY_NAME.find(([pattern]) => pattern.test(name))?.[1];
}
