import { Button } from '@mantine/core';
import { IconCopy, IconLink, IconListDetails, IconMusicPlus, IconPencil, IconPlaylistAdd } from '@tabler/icons-react';
import { useId, useMemo } from 'react';
import type { Icon } from '#platform/web/tool.ts';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import type { Overlay, OverlaysProps, Playlist, PlaylistOverlay, Library } from '#tools/music/web/musicTypes.ts';
import { songsText } from '#tools/music/web/texts.ts';
import { useLibraryActs } from './libraryActions.ts';
import { LinkForm, NameForm } from './NameForm.tsx';
import { SearchList, type Choice } from './SearchList.tsx';
import styles from './Overlays.module.css';

interface NewPlaylistOption {
  readonly name: PlaylistOverlay;
  readonly icon: Icon;
  readonly label: string;
  readonly about: string;
}

const NEW_PLAYLIST_OPTIONS: readonly NewPlaylistOption[] = [
  { name: 'addExistingSong', icon: IconMusicPlus, label: 'Add Existing Song', about: 'From your library' },
  {
    name: 'mergeExisting',
    icon: IconPlaylistAdd,
    label: 'Merge Existing Playlist',
    about: 'All songs of another playlist',
  },
  { name: 'addNewSong', icon: IconLink, label: 'Add New Song', about: 'From a video link' },
  { name: 'mergeNew', icon: IconListDetails, label: 'Merge New Playlist', about: 'From a playlist link' },
];

/** Four ways to add songs to a playlist. */
export function AddTo({ playlist, open }: PlaylistBodyProps) {
  const id = useId();
  return (
    <div className={styles['choices']}>
      {NEW_PLAYLIST_OPTIONS.map(({ name, icon: Icon, label, about }, index) => (
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

/** Actions on the playlist itself. */
export function PlaylistOptions({ playlist, open, close }: PlaylistBodyProps) {
  const acts = useLibraryActs();
  return (
    <>
      <p className={styles['details']} dir="auto">
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

/** Returns the playlists to choose from, with the available ones first. */
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

/** Adds a song to a playlist, like dragging it onto one, for keyboards and phones. */
export function AddSongTo({ library, song, open, close }: BodyProps & { readonly song: number }) {
  const acts = useLibraryActs();
  const choices = useMemo(() => choicesFor(library, song), [library, song]);
  return (
    <>
      <p className={styles['details']} dir="auto">
        {library.songs.get(song)?.title}
      </p>
      <SearchList
        label="Search playlists"
        choices={choices}
        nothing="No playlists yet. Create one first"
        isThereText="already added"
        onPick={({ id }) => {
          const playlist = library.playlistById.get(id);
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

const songChoices = ({ songs }: Library, playlist: Playlist): readonly Choice[] => {
  const existing = new Set(playlist.songs);
  return [...songs.values()]
    .toSorted((one, other) => other.order - one.order)
    .map(({ id, title, artist }) => ({ id, label: title, note: artist, isThere: existing.has(id) }));
};

/** Adds songs, newest first. It stays open, so that several can be added. */
export function AddExistingSong({ library, playlist, close }: PlaylistBodyProps) {
  const acts = useLibraryActs();
  const choices = useMemo(() => songChoices(library, playlist), [library, playlist]);
  return (
    <>
      <SearchList
        label="Search songs"
        choices={choices}
        nothing="No songs yet. Add songs to your library first"
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
  const existing = new Set(playlist.songs);
  return playlists
    .filter(({ id }) => id !== playlist.id)
    .map(({ id, title, songs }) => ({
      id,
      label: title,
      note: songsText(songs.length),
      isThere: songs.every((song) => existing.has(song)),
    }));
};

/** Appends all songs of the selected playlist that are not in this one yet. */
export function MergeExistingPlaylist({ library, playlist, close }: PlaylistBodyProps) {
  const acts = useLibraryActs();
  const choices = useMemo(() => playlistChoices(library, playlist), [library, playlist]);
  return (
    <SearchList
      label="Search playlists"
      choices={choices}
      nothing="No other playlists yet. Create one first"
      isThereText="no new songs"
      onPick={({ id }) => {
        const from = library.playlistById.get(id);
        close();
        if (from) acts.merge(playlist, from);
      }}
    />
  );
}

export interface BodyProps extends OverlaysProps {
  readonly close: () => void;
  readonly onTyped: (isTyped: boolean) => void;
}

export interface PlaylistBodyProps extends BodyProps {
  readonly playlist: Playlist;
}

interface CreateProps extends BodyProps {
  readonly from?: Playlist;
  /** Songs of the new playlist. */
  readonly songs?: readonly number[];
}

/** Creates a playlist, empty, with a song, or with the songs of another one, and reveals it. */
function Create({ close, onTyped, reveal, from, songs = from?.songs ?? [] }: CreateProps) {
  const acts = useLibraryActs();
  return (
    <NameForm
      label="Playlist name"
      title={from ? `${from.title} copy` : ''}
      of="playlist"
      button={from ? 'Copy' : 'Create'}
      onTyped={onTyped}
      onDone={async (title) => {
        const created = await acts.create(title, songs);
        close();
        reveal(created);
      }}
    />
  );
}

function RenamePlaylist({ playlist, close, onTyped }: PlaylistBodyProps) {
  const acts = useLibraryActs();
  return (
    <NameForm
      label="Playlist name"
      title={playlist.title}
      of="playlist"
      button="Save"
      onTyped={onTyped}
      onDone={async (title) => {
        if (title !== playlist.title) acts.renamePlaylist(playlist, title);
        close();
      }}
    />
  );
}

function RenameSong({ library, song: id, close, onTyped }: BodyProps & { readonly song: number }) {
  const acts = useLibraryActs();
  const song = library.songs.get(id);
  if (!song) return null;
  return (
    <NameForm
      label="Song name"
      title={song.title}
      of="song"
      button="Save"
      beside={{ Artist: song.artist, Album: song.album }}
      onTyped={onTyped}
      onDone={async (title, { Artist: artist = '', Album: album = '' }) => {
        acts.renameSong(song, { title, artist, album });
        close();
      }}
    />
  );
}

function AddNewSong({ playlist, close, onTyped, download }: PlaylistBodyProps) {
  return (
    <LinkForm
      label="Video URL"
      button="Download & Add"
      hint={`Its audio is added as a song to ${playlist.title}`}
      onTyped={onTyped}
      onDone={(url) => {
        close();
        download(url, playlist.id);
      }}
    />
  );
}

function MergeNewPlaylist({ playlist, close, onTyped, download }: PlaylistBodyProps) {
  return (
    <LinkForm
      label="Playlist URL"
      button="Download & Merge"
      hint={`Up to 200 of its songs are added to ${playlist.title}`}
      onTyped={onTyped}
      onDone={(url) => {
        close();
        download(url, playlist.id);
      }}
    />
  );
}

function CopyPlaylist(props: PlaylistBodyProps) {
  return <Create {...props} from={props.playlist} />;
}

const BODIES: Readonly<Record<PlaylistOverlay, (props: PlaylistBodyProps) => React.ReactNode>> = {
  renamePlaylist: RenamePlaylist,
  copyPlaylist: CopyPlaylist,
  addTo: AddTo,
  addExistingSong: AddExistingSong,
  mergeExisting: MergeExistingPlaylist,
  addNewSong: AddNewSong,
  mergeNew: MergeNewPlaylist,
  options: PlaylistOptions,
};

/** The content of an overlay. */
export function OverlayBody({ overlay, ...props }: Omit<BodyProps, 'overlay'> & { readonly overlay: Overlay }) {
  if (overlay.name === 'createPlaylist')
    return <Create {...props} overlay={overlay} songs={overlay.song === undefined ? [] : [overlay.song]} />;
  if (overlay.name === 'renameSong') return <RenameSong {...props} overlay={overlay} song={overlay.song} />;
  if (overlay.name === 'addSongTo') return <AddSongTo {...props} overlay={overlay} song={overlay.song} />;
  const playlist = props.library.playlistById.get(overlay.playlist);
  const Body = BODIES[overlay.name];
  return playlist ? <Body {...props} overlay={overlay} playlist={playlist} /> : null;
}
