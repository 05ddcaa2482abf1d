import { Button } from '@mantine/core';
import { IconCopy, IconLink, IconListDetails, IconMusicPlus, IconPencil, IconPlaylistAdd } from '@tabler/icons-react';
import { useId, useMemo } from 'react';
import type { Icon } from '#platform/web/tool.ts';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import type { Overlay, OverlaysProps, Playlist, PlaylistOverlay, Library } from '#tools/music/web/musicTypes.ts';
import { formatSongCount } from '#tools/music/web/texts.ts';
import { useLibraryActions } from './libraryActions.ts';
import { LinkForm, NameForm } from './NameForm.tsx';
import { SearchList, type Choice } from './SearchList.tsx';
import styles from './Overlays.module.css';

interface AddOption {
  readonly name: PlaylistOverlay;
  readonly icon: Icon;
  readonly label: string;
  readonly description: string;
}

const ADD_OPTIONS: readonly AddOption[] = [
  { name: 'addExistingSong', icon: IconMusicPlus, label: 'Add Existing Song', description: 'From your library' },
  {
    name: 'mergeExisting',
    icon: IconPlaylistAdd,
    label: 'Merge Existing Playlist',
    description: 'All songs of another playlist',
  },
  { name: 'addNewSong', icon: IconLink, label: 'Add New Song', description: 'From a video link' },
  { name: 'mergeNew', icon: IconListDetails, label: 'Merge New Playlist', description: 'From a playlist link' },
];

/** The four ways to add songs to a playlist. */
export function AddTo({ playlist, onOpen }: PlaylistBodyProps) {
  const id = useId();
  return (
    <div className={styles['choices']}>
      {ADD_OPTIONS.map(({ name, icon: Icon, label, description }, index) => (
        <div key={name} className={styles['choice']}>
          <Icon size={20} stroke={1.75} />
          <button
            type="button"
            aria-describedby={id + name}
            {...(index === 0 ? { 'data-autofocus': true } : {})}
            onClick={() => onOpen({ name, playlist: playlist.id })}
          >
            {label}
          </button>
          <small id={id + name}>{description}</small>
        </div>
      ))}
    </div>
  );
}

/** Actions on the playlist itself. */
export function PlaylistOptions({ playlist, onOpen, onClose }: PlaylistBodyProps) {
  const actions = useLibraryActions();
  return (
    <>
      <p className={styles['details']} dir="auto">
        {playlist.title}, {formatSongCount(playlist.songs.length)}
      </p>
      <div className={styles['options']}>
        <Button
          leftSection={<IconPencil size={16} stroke={1.75} />}
          data-autofocus
          onClick={() => onOpen({ name: 'renamePlaylist', playlist: playlist.id })}
        >
          Rename
        </Button>
        <Button
          leftSection={<IconCopy size={16} stroke={1.75} />}
          onClick={() => onOpen({ name: 'copyPlaylist', playlist: playlist.id })}
        >
          Copy
        </Button>
        <ConfirmButton
          confirmLabel="Confirm Delete"
          onConfirm={() => {
            onClose();
            void actions.deletePlaylist(playlist);
          }}
        >
          Delete
        </ConfirmButton>
      </div>
    </>
  );
}

/** Lists the playlists that a song can be added to, the available ones first. */
const listTargetChoices = ({ playlists }: Library, song: number): readonly Choice[] =>
  playlists
    .filter(({ isOwn }) => isOwn)
    .map(({ id, title, songs }) => ({
      id,
      label: title,
      note: formatSongCount(songs.length),
      isIncluded: songs.includes(song),
    }))
    .toSorted((one, other) => Number(one.isIncluded) - Number(other.isIncluded));

/** Adds a song to a playlist, like dragging it onto one, for keyboards and phones. */
export function AddSongTo({ library, song, onOpen, onClose }: BodyProps & { readonly song: number }) {
  const actions = useLibraryActions();
  const choices = useMemo(() => listTargetChoices(library, song), [library, song]);
  return (
    <>
      <p className={styles['details']} dir="auto">
        {library.songs.get(song)?.title}
      </p>
      <SearchList
        label="Search playlists"
        choices={choices}
        emptyText="No playlists yet. Create one first"
        includedText="already added"
        onSelect={({ id }) => {
          const playlist = library.playlistById.get(id);
          onClose();
          if (playlist) actions.addWithNotice(playlist, song);
        }}
      />
      <div className={styles['done']}>
        <Button onClick={() => onOpen({ name: 'createPlaylist', song })}>Create new playlist</Button>
      </div>
    </>
  );
}

function listSongChoices({ songs }: Library, playlist: Playlist): readonly Choice[] {
  const existing = new Set(playlist.songs);
  return [...songs.values()]
    .toSorted((one, other) => other.order - one.order)
    .map(({ id, title, artist }) => ({ id, label: title, note: artist, isIncluded: existing.has(id) }));
}

/** Adds songs, newest first. It stays open, so that several can be added. */
export function AddExistingSong({ library, playlist, onClose }: PlaylistBodyProps) {
  const actions = useLibraryActions();
  const choices = useMemo(() => listSongChoices(library, playlist), [library, playlist]);
  return (
    <>
      <SearchList
        label="Search songs"
        choices={choices}
        emptyText="No songs yet. Add songs to your library first"
        includedText={`in ${playlist.title}`}
        onSelect={({ id }) => actions.addSong(playlist, id)}
      />
      <div className={styles['done']}>
        <Button onClick={onClose}>Done</Button>
      </div>
    </>
  );
}

function listPlaylistChoices({ playlists }: Library, playlist: Playlist): readonly Choice[] {
  const existing = new Set(playlist.songs);
  return playlists
    .filter(({ id }) => id !== playlist.id)
    .map(({ id, title, songs }) => ({
      id,
      label: title,
      note: formatSongCount(songs.length),
      isIncluded: songs.every((song) => existing.has(song)),
    }));
}

/** Appends all songs of the selected playlist that are not in this one yet. */
export function MergeExistingPlaylist({ library, playlist, onClose }: PlaylistBodyProps) {
  const actions = useLibraryActions();
  const choices = useMemo(() => listPlaylistChoices(library, playlist), [library, playlist]);
  return (
    <SearchList
      label="Search playlists"
      choices={choices}
      emptyText="No other playlists yet. Create one first"
      includedText="no new songs"
      onSelect={({ id }) => {
        const from = library.playlistById.get(id);
        onClose();
        if (from) actions.merge(playlist, from);
      }}
    />
  );
}

export interface BodyProps extends OverlaysProps {
  readonly onClose: () => void;
  readonly onTyped: (isTyped: boolean) => void;
}

export interface PlaylistBodyProps extends BodyProps {
  readonly playlist: Playlist;
}

interface CreatePlaylistProps extends BodyProps {
  readonly from?: Playlist;
  /** Songs of the new playlist. */
  readonly songs?: readonly number[];
}

/** Creates a playlist, empty, with a song, or with the songs of another one, and reveals it. */
function CreatePlaylist({ onClose, onTyped, onReveal, from, songs = from?.songs ?? [] }: CreatePlaylistProps) {
  const actions = useLibraryActions();
  return (
    <NameForm
      label="Playlist name"
      title={from ? `${from.title} copy` : ''}
      kind="playlist"
      button={from ? 'Copy' : 'Create'}
      onTyped={onTyped}
      onDone={async (title) => {
        const created = await actions.create(title, songs);
        onClose();
        onReveal(created);
      }}
    />
  );
}

function RenamePlaylist({ playlist, onClose, onTyped }: PlaylistBodyProps) {
  const actions = useLibraryActions();
  return (
    <NameForm
      label="Playlist name"
      title={playlist.title}
      kind="playlist"
      button="Save"
      onTyped={onTyped}
      onDone={async (title) => {
        if (title !== playlist.title) actions.renamePlaylist(playlist, title);
        onClose();
      }}
    />
  );
}

function RenameSong({ library, song: id, onClose, onTyped }: BodyProps & { readonly song: number }) {
  const actions = useLibraryActions();
  const song = library.songs.get(id);
  if (!song) return null;
  return (
    <NameForm
      label="Song name"
      title={song.title}
      kind="song"
      button="Save"
      extraFields={{ Artist: song.artist, Album: song.album }}
      onTyped={onTyped}
      onDone={async (title, { Artist: artist = '', Album: album = '' }) => {
        actions.renameSong(song, { title, artist, album });
        onClose();
      }}
    />
  );
}

function AddNewSong({ playlist, onClose, onTyped, onDownload }: PlaylistBodyProps) {
  return (
    <LinkForm
      label="Video URL"
      button="Download & Add"
      hint={`Its audio is added as a song to ${playlist.title}`}
      onTyped={onTyped}
      onDone={(url) => {
        onClose();
        onDownload(url, playlist.id);
      }}
    />
  );
}

function MergeNewPlaylist({ playlist, onClose, onTyped, onDownload }: PlaylistBodyProps) {
  return (
    <LinkForm
      label="Playlist URL"
      button="Download & Merge"
      hint={`Up to 200 of its songs are added to ${playlist.title}`}
      onTyped={onTyped}
      onDone={(url) => {
        onClose();
        onDownload(url, playlist.id);
      }}
    />
  );
}

function CopyPlaylist(props: PlaylistBodyProps) {
  return <CreatePlaylist {...props} from={props.playlist} />;
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
    return <CreatePlaylist {...props} overlay={overlay} songs={overlay.song === undefined ? [] : [overlay.song]} />;
  if (overlay.name === 'renameSong') return <RenameSong {...props} overlay={overlay} song={overlay.song} />;
  if (overlay.name === 'addSongTo') return <AddSongTo {...props} overlay={overlay} song={overlay.song} />;
  const playlist = props.library.playlistById.get(overlay.playlist);
  const Body = BODIES[overlay.name];
  return playlist ? <Body {...props} overlay={overlay} playlist={playlist} /> : null;
}
