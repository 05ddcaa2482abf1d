import { Button } from '@mantine/core';
import { useMemo } from 'react';
import type { Library, Playlist } from '#tools/music/web/musicTypes.ts';
import { songsText } from '#tools/music/web/texts.ts';
import type { PlaylistBodyProps } from './OverlayBody.tsx';
import { SearchList, type Choice } from './SearchList.tsx';
import { useLibraryActs } from './useSongActs.ts';
import styles from './Overlays.module.css';

const songChoices = ({ songs }: Library, playlist: Playlist): readonly Choice[] => {
  const there = new Set(playlist.songs);
  return [...songs.values()]
    .toSorted((one, other) => other.order - one.order)
    .map(({ id, title, artist }) => ({ id, label: title, note: artist, isThere: there.has(id) }));
};

/** The newest songs first. It stays open, so that several can be added one after another. */
export function AddExistingSong({ library, playlist, close }: PlaylistBodyProps) {
  const acts = useLibraryActs();
  const choices = useMemo(() => songChoices(library, playlist), [library, playlist]);
  return (
    <>
      <SearchList
        label="Search songs"
        choices={choices}
        nothing="There is no song yet."
        isThereText={`in ${playlist.title}`}
        onPick={({ id }) => acts.addSong(playlist, id)}
      />
      <div className={styles['done']}>
        <Button onClick={close}>Done</Button>
      </div>
    </>
  );
}

const playlistChoices = ({ playlists }: Library, playlist: Playlist): readonly Choice[] => {
  const there = new Set(playlist.songs);
  return playlists
    .filter(({ id }) => id !== playlist.id)
    .map(({ id, title, songs }) => ({
      id,
      label: title,
      note: songsText(songs.length),
      isThere: songs.every((song) => there.has(song)),
    }));
};

/** All songs of the chosen one that are not there yet come behind the others. */
export function MergeExistingPlaylist({ library, playlist, close }: PlaylistBodyProps) {
  const acts = useLibraryActs();
  const choices = useMemo(() => playlistChoices(library, playlist), [library, playlist]);
  return (
    <SearchList
      label="Search playlists"
      choices={choices}
      nothing="There is no other playlist yet."
      isThereText="nothing new in it"
      onPick={({ id }) => {
        const from = library.playlistOf.get(id);
        close();
        if (from) acts.merge(playlist, from);
      }}
    />
  );
}
