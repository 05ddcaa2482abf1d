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
export const m3uOf = (songs: readonly ListedSong[]): string =>
  [
    '#EXTM3U',
    ...songs.flatMap((song) => [`#EXTINF:${Math.round(song.duration)},${called(song)}`, song.place]),
    '',
  ].join('\n');
