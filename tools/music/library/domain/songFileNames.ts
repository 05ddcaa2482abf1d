/** A song in a playlist file. */
export interface PlaylistFileEntry {
  readonly title: string;
  readonly artist: string;
  /** Seconds. */
  readonly duration: number;
  /** An address, or a file name beside the playlist file. */
  readonly location: string;
}

/** Replaces everything that could start a new line with a space. */
const removeLineBreaks = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

const formatSongName = ({ title, artist }: PlaylistFileEntry): string =>
  removeLineBreaks(artist === '' ? title : `${artist} - ${title}`);

/** Formats an extended M3U file in UTF-8 (`.m3u8`). */
export function formatM3u(songs: readonly PlaylistFileEntry[]): string {
  return [
    '#EXTM3U',
    ...songs.flatMap((song) => [`#EXTINF:${Math.round(song.duration)},${formatSongName(song)}`, song.location]),
    '',
  ].join('\n');
}

/** Code points and UTF-8 bytes that every file system accepts, with space for a number and an extension. */
const MAX_NAME_LENGTH = 120;
const MAX_NAME_BYTES = 200;

/** Device names of Windows, with any extension. */
const RESERVED_NAME_PATTERN = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;

function countUtf8Bytes(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

function shorten(text: string): string {
  let bytes = 0;
  let short = '';
  for (const character of Array.from(text).slice(0, MAX_NAME_LENGTH)) {
    bytes += countUtf8Bytes(character);
    if (bytes > MAX_NAME_BYTES) break;
    short += character;
  }
  return short;
}

/**
 * Returns a file name for a title that is safe on every system: no path characters, no invisible ones, no device name.
 */
export function formatFileName(title: string): string {
  const plain = title
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"/\\|?*]/gu, '_');
  const name = shorten(plain.trim())
    .replace(/[. ]+$/, '')
    .replace(/^\.+/, '_');
  if (name === '') return '_';
  return RESERVED_NAME_PATTERN.test(name) ? `_${name}` : name;
}

/**
 * Returns unique, numbered file names for songs in one folder, so that they sort in order even on case-insensitive
 * systems.
 */
export function formatNumberedNames(
  songs: readonly { readonly title: string; readonly type: string }[],
): readonly string[] {
  const digits = Math.max(2, String(songs.length).length);
  return songs.map(
    ({ title, type }, index) => `${String(index + 1).padStart(digits, '0')} ${formatFileName(title)}.${type}`,
  );
}
