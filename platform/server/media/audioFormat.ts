import type { ProcessedSong } from './media.ts';
import type { AudioStream } from './soundCheck.ts';

/** What a song is made into, and how. */
export interface AudioFormat {
  readonly extension: ProcessedSong['extension'];
  readonly type: ProcessedSong['type'];
  /** For ffmpeg. */
  readonly codec: readonly string[];
  /** For ffmpeg. */
  readonly container: readonly string[];
  /** What it is made into where ffmpeg can't make this of it. */
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

const COPY = ['-c:a', 'copy'];
const MP3 = { extension: 'mp3', type: 'audio/mpeg', container: CONTAINERS.mp3 } as const;
const FLAC = { extension: 'flac', type: 'audio/flac', container: CONTAINERS.flac } as const;

/** FLAC has at most 655,350 Hz and 8 channels: DSD128 and recordings of many microphones have more. */
const flacOf = (...codec: readonly string[]): AudioFormat => {
  const form = { ...FLAC, codec: ['-c:a', 'flac', ...codec] };
  const slower = { ...form, codec: [...form.codec, '-ar', '352800'] };
  const stereo = { ...form, codec: [...form.codec, '-ac', '2', '-ar', '192000'] };
  return { ...form, fallback: { ...slower, fallback: stereo } };
};
const LOSSLESS = flacOf();
/** Of sound that lost something already: 16 bits hold all of it, and more would be noise. */
const LOSSLESS_16 = flacOf('-sample_fmt', 's16');
const ENCODED: AudioFormat = {
  ...MP3,
  codec: ['-c:a', 'libmp3lame', '-q:a', '2'],
  fallback: { ...MP3, codec: ['-c:a', 'libmp3lame', '-q:a', '2', '-ac', '2', '-ar', '48000'] },
};

/** Some containers lack what a copy needs in another one (Opus in CAF has no head). */
const COPIED_AAC: AudioFormat = {
  extension: 'm4a',
  type: 'audio/mp4',
  codec: COPY,
  container: CONTAINERS.m4a,
  fallback: LOSSLESS_16,
};
const COPIED_MP3: AudioFormat = { ...MP3, codec: COPY, fallback: LOSSLESS_16 };
const ALAC: AudioFormat = { ...COPIED_AAC, fallback: LOSSLESS };
const COPIED_FLAC: AudioFormat = { ...FLAC, codec: COPY, fallback: LOSSLESS };
const OPUS: AudioFormat = {
  extension: 'opus',
  type: 'audio/ogg',
  codec: COPY,
  container: CONTAINERS.opus,
  fallback: LOSSLESS_16,
};
const VORBIS: AudioFormat = {
  extension: 'ogg',
  type: 'audio/ogg',
  codec: COPY,
  container: CONTAINERS.ogg,
  fallback: LOSSLESS_16,
};
const WAV: AudioFormat = { extension: 'wav', type: 'audio/wav', codec: COPY, container: CONTAINERS.wav };

/** Files that players play, by ffmpeg's names of the container and of the codec. */
const PLAYABLE_FORMATS: readonly (readonly [container: RegExp, codec: RegExp, form: AudioFormat])[] = [
  [/^mp3$/, /^mp3$/, COPIED_MP3],
  [/^mov,/, /^aac$/, COPIED_AAC],
  [/^mov,/, /^alac$/, ALAC],
  [/^flac$/, /^flac$/, COPIED_FLAC],
  [/^ogg$/, /^opus$/, OPUS],
  [/^ogg$/, /^vorbis$/, VORBIS],
  [/^wav$/, /^pcm_(u8|s16le|s24le|s32le|f32le|f64le|alaw|mulaw)$/, WAV],
];

/** What a file is that players play as it is; undefined for all others. */
export function findPlayableFormat({ container, codec, hasVideo }: AudioStream): AudioFormat | undefined {
  return hasVideo ? undefined : PLAYABLE_FORMATS.find(([within, of]) => within.test(container) && of.test(codec))?.[2];
}

/** Copied into a file that players play. */
const COPIED: Readonly<Record<string, AudioFormat>> = {
  mp3: COPIED_MP3,
  aac: COPIED_AAC,
  alac: ALAC,
  flac: COPIED_FLAC,
  opus: OPUS,
  vorbis: VORBIS,
};
const WITHOUT_LOSS = /^(pcm_(?!alaw|mulaw)|ape|tta|wavpack|tak|shorten|wmalossless|mlp|truehd|als|dst|dsd_)/;

/** What a file is made into without losing anything: by copying its sound, else as FLAC. */
export function chooseLosslessFormat(codec: string): AudioFormat {
  const copied = Object.hasOwn(COPIED, codec) ? COPIED[codec] : undefined;
  return copied ?? (WITHOUT_LOSS.test(codec) ? LOSSLESS : LOSSLESS_16);
}

/** Sound that every browser and phone plays stays as it is; all else becomes MP3. By ffmpeg's name of the codec. */
export function chooseFormat(codec: string): AudioFormat {
  if (codec === 'aac') return COPIED_AAC;
  return codec === 'mp3' ? COPIED_MP3 : ENCODED;
}

/** Names of codecs as music-metadata has them, which differ by container. */
const NAMES: readonly (readonly [RegExp, AudioFormat])[] = [
  [/^(MPEG-4\/)?AAC\b/, COPIED_AAC],
  [/^(MPEG [\d.]+ Layer 3|MPEG\/L3|MPEGLAYER3)$/, COPIED_MP3],
  [/^(MPEG [\d.]+ Layer [12]|MPEG\/L[12]|ALAC|AC-?3|PCM\b|FLAC|Opus|Vorbis\b)/i, ENCODED],
];

/** The same by music-metadata's name; undefined where that says too little. */
export function findFormatByName(name = ''): AudioFormat | undefined {
  return NAMES.find(([pattern]) => pattern.test(name))?.[1];
}
