/** Under this name the data of a row that is carried has its song. */
export const SONG = 'music.song';
/** And which of the song's places in its playlist it is. */
export const NTH = 'music.nth';

/** The song that is carried; undefined for whatever else is. */
export const carriedSong = ({ data }: { readonly data: Readonly<Record<string | symbol, unknown>> }) =>
  typeof data[SONG] === 'number' ? data[SONG] : undefined;
