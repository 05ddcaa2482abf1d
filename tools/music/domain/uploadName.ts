/** Endings of files whose sound ffmpeg reads here, whatever it is made into. */
const ENDINGS = new Set(
  (
    'mp3 mp2 mp1 mpga mpa m4a m4b m4r mp4 m4v mov qt 3gp 3g2 3ga 3gpp aac adts flac fla ogg oga ogv ogx opus spx ' +
    'wav wave bwf w64 wma wmv asf aif aiff aifc aff ape wv mpc mpp mp+ ac3 eac3 ec3 amr awb caf au snd voc ' +
    'mka mkv webm weba ts mts m2ts mpg mpeg'
  ).split(' '),
);

const ENDING = /\.([^./\\\s]{1,12})$/;

/** Why a file of this name is not taken, before any of it is sent; undefined where it may be sound. */
export function whyNotUploaded(name: string): string | undefined {
  const ending = ENDING.exec(name.trim())?.[1]?.toLowerCase();
  // Phones share songs without an ending: what those are shows once they are here.
  if (ending === undefined || ENDINGS.has(ending)) return undefined;
  return `.${ending} files can’t be played here. Choose an audio file, such as MP3, FLAC, M4A, Opus, WAV, AIFF or WMA`;
}
