import { Button } from '@mantine/core';
import { IconCopy, IconLink, IconListDetails, IconMusicPlus, IconPencil, IconPlaylistAdd } from '@tabler/icons-react';
import { useId } from 'react';
import type { Icon } from '#platform/web/tool.ts';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import type { PlaylistOverlay } from '#tools/music/web/musicTypes.ts';
import { songsText } from '#tools/music/web/texts.ts';
import type { PlaylistBodyProps } from './OverlayBody.tsx';
import { useLibraryActs } from './useSongActs.ts';
import styles from './Overlays.module.css';

interface Way {
  readonly name: PlaylistOverlay;
  readonly icon: Icon;
  readonly label: string;
  readonly about: string;
}

const WAYS: readonly Way[] = [
  { name: 'addExistingSong', icon: IconMusicPlus, label: 'Add Existing Song', about: 'From your library' },
  {
    name: 'mergeExisting',
    icon: IconPlaylistAdd,
    label: 'Merge Existing Playlist',
    about: 'All songs of another playlist',
  },
  { name: 'addNewSong', icon: IconLink, label: 'Add New Song', about: 'From the link of a video' },
  { name: 'mergeNew', icon: IconListDetails, label: 'Merge New Playlist', about: 'From the link of a playlist' },
];

/** Four ways to songs for a playlist. */
export function AddTo({ playlist, open }: PlaylistBodyProps) {
  const id = useId();
  return (
    <div className={styles['choices']}>
      {WAYS.map(({ name, icon: Icon, label, about }, index) => (
        <div key={name} className={styles['choice']}>
          <Icon size={20} stroke={1.75} />
          <button
            type="button"
            aria-describedby={id + name}
            {...(index === 0 ? { 'data-autofocus': true } : {})}
            onClick={() => open({ name, playlist: playlist.id })}
          >
            {label}
          </button>
          <small id={id + name}>{about}</small>
        </div>
      ))}
    </div>
  );
}

/** What can be done with a playlist itself. */
export function PlaylistOptions({ playlist, open, close }: PlaylistBodyProps) {
  const acts = useLibraryActs();
  return (
    <>
      <p className={styles['about']} dir="auto">
        {playlist.title}, {songsText(playlist.songs.length)}
      </p>
      <div className={styles['options']}>
        <Button
          leftSection={<IconPencil size={16} stroke={1.75} />}
          data-autofocus
          onClick={() => open({ name: 'renamePlaylist', playlist: playlist.id })}
        >
          Rename
        </Button>
        <Button
          leftSection={<IconCopy size={16} stroke={1.75} />}
          onClick={() => open({ name: 'copyPlaylist', playlist: playlist.id })}
        >
          Copy
        </Button>
        <ConfirmButton
          confirmLabel="Confirm Delete"
          onConfirm={() => {
            close();
            void acts.deletePlaylist(playlist);
          }}
        >
          Delete
        </ConfirmButton>
      </div>
    </>
  );
}
