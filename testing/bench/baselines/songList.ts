interface ListedSong {
  readonly title: string;
  readonly artist: string;
}

const escapeHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Creates the simplest page that shows songs: one bare HTML list. */
export function createSongList(songs: readonly ListedSong[]): string {
  const lines = songs.map(
    ({ title, artist }) => `<li><button>${escapeHtml(title)}</button> <small>${escapeHtml(artist)}</small></li>`,
  );
  return `<!doctype html><meta name="viewport" content="width=device-width"><title>songs</title><ul>${lines.join('')}</ul>`;
}
