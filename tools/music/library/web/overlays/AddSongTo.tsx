import { Button } from '@mantine/core';
import { useMemo } from 'react';
import type { Library } from '#tools/music/web/musicTypes.ts';
import { songsText } from '#tools/music/web/texts.ts';
import type { BodyProps } from './OverlayBody.tsx';
import { SearchList, type Choice } from './SearchList.tsx';
import { useLibraryActs } from './useSongActs.ts';
import styles from './Overlays.module.css';

/** Those that can be chosen first. */
const choicesFor = ({ playlists }: Library, song: number): readonly Choice[] =>
  playlists
    .filter(({ isOwn }) => isOwn)
    .map(({ id, title, songs }) => ({
      id,
      label: title,
      note: songsText(songs.length),
      isThere: songs.includes(song),
    }))
    .toSorted((one, other) => Number(one.isThere) - Number(other.isThere));

/** What dragging a song onto a playlist does, by keys and on a phone. */
export function AddSongTo({ library, song, open, close }: BodyProps & { readonly song: number }) {
  const acts = useLibraryActs();
  const choices = useMemo(() => choicesFor(library, song), [library, song]);
  return (
    <>
      <p className={styles['about']} dir="auto">
        {library.songs.get(song)?.title}
      </p>
      <SearchList
        label="Search playlists"
        choices={choices}
        nothing="There is no playlist of your own yet."
        isThereText="in it already"
        onPick={({ id }) => {
          const playlist = library.playlistOf.get(id);
          close();
          if (playlist) acts.putInto(playlist, song);
        }}
      />
      <div className={styles['done']}>
        <Button onClick={() => open({ name: 'createPlaylist', song })}>Create new playlist</Button>
      </div>
    </>
  );
}
