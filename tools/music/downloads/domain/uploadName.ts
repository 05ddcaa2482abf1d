/**
 * Extensions of files that certainly contain no playable audio, so that none of their bytes are uploaded.
 * All other files are sent: the text after the last full stop can be a part of the title ('Track 01.Intro', 'Dr.Dre').
 */
const REFUSED_EXTENSIONS = new Set(
  // Music notation, and audio with DRM.
  (
    'mid midi kar rmi mus mscz gp3 gp4 gp5 gpx aax aa m4p ' +
    // Playlists, texts and pictures that often accompany songs.
    'm3u m3u8 pls cue xspf wpl log sfv md5 sha256 ffp accurip nfo lrc srt vtt ass txt md rtf csv tsv json xml yml yaml html htm url webloc ' +
    'jpg jpeg png gif webp bmp tif tiff svg ico heic heif avif psd cr2 nef dng ' +
    'pdf doc docx odt xls xlsx ods ppt pptx odp epub mobi azw3 ' +
    'zip rar 7z tar gz tgz bz2 xz zst iso img nrg bin dmg exe msi apk deb rpm jar dll cmd ps1 js mjs ' +
    'ttf otf woff woff2 torrent crdownload tmp bak db sqlite ini cfg ds_store lnk'
  ).split(' '),
);

/** Extensions of audio files. Anything else after a full stop belongs to the title. */
const AUDIO_EXTENSIONS = new Set(
  (
    'mp3 mp2 mp1 mpga m4a m4b m4r m4v mp4 aac adts flac fla ogg oga ogv ogx opus spx wav wave bwf rf64 w64 wma wmv asf xwma ' +
    'aif aiff aifc caf au snd sf voc sox ape wv mpc mpp tta tak shn dsf dff ac3 ec3 eac3 dts dtshd mlp thd amr awb 3gp 3ga 3g2 ' +
    'mka mkv webm weba mov qt avi flv f4a f4v vob mpg mpeg ts m2ts mts ra rm oma aa3 gsm qcp iff 8svx alac bin part'
  ).split(' '),
);

const EXTENSION_PATTERN = /\.([^./\\\s]{1,12})$/u;

/** Returns why a file with this name is refused before it is sent; undefined if it can be audio. */
export function findUploadProblem(name: string): string | undefined {
  const extension = EXTENSION_PATTERN.exec(name.trim())?.[1]?.toLowerCase();
  if (extension === undefined || !REFUSED_EXTENSIONS.has(extension)) return undefined;
  return `.${extension} files can't be played here. Choose an audio file, such as MP3, FLAC, M4A, Opus, WAV, AIFF or WMA`;
}

/** Returns the title of a song without a title tag: its file name without the extension of an audio file. */
export function getUploadTitle(name: string): string {
  const extension = EXTENSION_PATTERN.exec(name.trim())?.[1]?.toLowerCase();
  return extension !== undefined && AUDIO_EXTENSIONS.has(extension)
    ? name.trim().slice(0, -extension.length - 1)
    : name;
}
