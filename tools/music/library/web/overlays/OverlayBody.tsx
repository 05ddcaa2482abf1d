import type { Overlay, OverlaysProps, Playlist, PlaylistOverlay } from '#tools/music/web/musicTypes.ts';
import { AddSongTo } from './AddSongTo.tsx';
import { AddExistingSong, MergeExistingPlaylist } from './Existing.tsx';
import { LinkForm } from './LinkForm.tsx';
import { NameForm } from './NameForm.tsx';
import { AddTo, PlaylistOptions } from './PlaylistMenus.tsx';
import { useLibraryActs } from './useSongActs.ts';

export interface BodyProps extends OverlaysProps {
  readonly close: () => void;
  readonly onTyped: (isTyped: boolean) => void;
}

export interface PlaylistBodyProps extends BodyProps {
  readonly playlist: Playlist;
}

interface CreateProps extends BodyProps {
  readonly from?: Playlist;
  /** Of one that is new. */
  readonly songs?: readonly number[];
}

/** Makes a playlist, empty, with a song, or with the songs of another one, and shows it. */
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
        const made = await acts.create(title, songs);
        close();
        reveal(made);
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
      hint={`Its sound becomes a song of ${playlist.title}.`}
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
      hint={`Its songs, 200 at most, come into ${playlist.title}.`}
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

/** What stands in an overlay. */
export function OverlayBody({ overlay, ...props }: Omit<BodyProps, 'overlay'> & { readonly overlay: Overlay }) {
  if (overlay.name === 'createPlaylist')
    return <Create {...props} overlay={overlay} songs={overlay.song === undefined ? [] : [overlay.song]} />;
  if (overlay.name === 'renameSong') return <RenameSong {...props} overlay={overlay} song={overlay.song} />;
  if (overlay.name === 'addSongTo') return <AddSongTo {...props} overlay={overlay} song={overlay.song} />;
  const playlist = props.library.playlistOf.get(overlay.playlist);
  const Body = BODIES[overlay.name];
  return playlist ? <Body {...props} overlay={overlay} playlist={playlist} /> : null;
}
