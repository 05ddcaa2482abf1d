/** A song in a list that players read. */
export interface ListedSong {
  readonly title: string;
  readonly artist: string;
  /** Seconds. */
  readonly duration: number;
  /** An address, or a name beside the list. */
  readonly place: string;
}

/** Whatever could begin a line of its own becomes a space. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

const called = ({ title, artist }: ListedSong): string => oneLine(artist === '' ? title : `${artist} - ${title}`);

/** An extended m3u in UTF-8: `.m3u8`. */
export function m3uOf(songs: readonly ListedSong[]): string {
  return [
    '#EXTM3U',
    ...songs.flatMap((song) => [`#EXTINF:${Math.round(song.duration)},${called(song)}`, song.place]),
    '',
  ].join('\n');
}

/** Code points, and bytes of UTF-8: what every system keeps with a number before it and an ending behind. */
const MAX_NAME_LENGTH = 120;
const MAX_NAME_BYTES = 200;

/** Devices of old systems, under whatever ending. */
const RESERVED = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;

const bytesOf = (sign: string): number => {
  const code = sign.codePointAt(0) ?? 0;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
};

const shortened = (text: string): string => {
  let bytes = 0;
  let short = '';
  for (const sign of Array.from(text).slice(0, MAX_NAME_LENGTH)) {
    bytes += bytesOf(sign);
    if (bytes > MAX_NAME_BYTES) break;
    short += sign;
  }
  return short;
};

/** A title as part of a file's name that every system keeps as it is: nothing that means something in paths, nothing unseen, no device. */
export function fileNameOf(title: string): string {
  const plain = title
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"/\\|?*]/gu, '_');
  const name = shortened(plain.trim())
    .replace(/[. ]+$/, '')
    .replace(/^\.+/, '_');
  if (name === '') return '_';
  return RESERVED.test(name) ? `_${name}` : name;
}

/** Names of several songs in one folder: numbered, so that they stand in order and no two are one, whatever a system takes for the same. */
export function numberedNames(songs: readonly { readonly title: string; readonly type: string }[]): readonly string[] {
  const digits = Math.max(2, String(songs.length).length);
  return songs.map(
    ({ title, type }, index) => `${String(index + 1).padStart(digits, '0')} ${fileNameOf(title)}.${type}`,
  );
}
