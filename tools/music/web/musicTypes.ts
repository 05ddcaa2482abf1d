// Types that the parts of the music pages share. The page opens overlays by name and plays through the player.
// Overlays and player are loaded when they are first used.
import type { RefObject } from 'react';
import type { Occurrence } from '../library/domain/playlist.ts';
import type { QueuePosition } from '../player/domain/queue.ts';

/** A song on the pages. */
export interface Song {
  readonly id: number;
  readonly title: string;
  readonly artist: string;
  readonly album: string;
  /** CSS colour of its picture. */
  readonly colour: string;
  /** The newest song has the largest value. */
  readonly order: number;
  /** Seconds. */
  readonly duration: number;
  /** Bytes. */
  readonly size: number;
  /** ISO 8601. */
  readonly added: string;
  readonly plays: number;
  readonly starred: boolean;
  /** ReplayGain, in dB. */
  readonly gain: number;
  readonly peak: number;
  /** Address that it was downloaded from; empty for an uploaded song. */
  readonly source: string;
  /** Whether its file is missing. */
  readonly isMissing: boolean;
  readonly hasPicture: boolean;
}

export interface Playlist {
  readonly id: number;
  readonly title: string;
  /** In order. */
  readonly songs: readonly number[];
  /** Whether songs can be added and the playlist can be changed. */
  readonly isOwn: boolean;
}

/** The library as the server last sent it, without optimistic updates. All MP3s is not among the lists. */
export interface ServerLibrary {
  readonly songs: ReadonlyMap<number, Song>;
  readonly lists: ReadonlyMap<number, Playlist>;
  /** Requests only later changes. */
  readonly revision: string;
}

export interface Library {
  readonly songs: ReadonlyMap<number, Song>;
  /** All MP3s first, then sorted by title. */
  readonly playlists: readonly Playlist[];
  readonly playlistById: ReadonlyMap<number, Playlist>;
  /** Bytes used, and the quota in bytes. */
  readonly used: number;
  readonly quota: number;
  readonly synced: ServerLibrary;
}

/** Overlays about one playlist (docs/specification/music.md section 1.4). */
export type PlaylistOverlay =
  | 'renamePlaylist'
  | 'copyPlaylist'
  | 'addTo'
  | 'addExistingSong'
  | 'mergeExisting'
  | 'addNewSong'
  | 'mergeNew'
  | 'options';

/** The open overlay. Only one is open at a time. */
export type Overlay =
  | { readonly name: 'createPlaylist'; /** Added to the new playlist immediately. */ readonly song?: number }
  | { readonly name: 'renameSong'; readonly song: number }
  | { readonly name: 'addSongTo'; readonly song: number }
  | { readonly name: PlaylistOverlay; readonly playlist: number };

export interface OverlaysProps {
  readonly overlay: Overlay | undefined;
  /** Can lack the subject of the overlay, if it was deleted in another tab. */
  readonly library: Library;
  /** Replaces the overlay with another one; undefined closes it. */
  readonly onOpen: (overlay: Overlay | undefined) => void;
  /** Queues a link. The downloads panel shows its progress, or why it was refused. */
  readonly onDownload: (url: string, playlist: number) => void;
  /** Scrolls to a playlist, such as a new one, and focuses it. */
  readonly onReveal: (playlist: number) => void;
}

/** Actions on a song. Updates are optimistic and undone if the server refuses; removals can be undone by the user. */
export interface SongActions {
  readonly canMove: (playlist: Playlist, occurrence: Occurrence, by: 1 | -1) => boolean;
  readonly move: (playlist: Playlist, occurrence: Occurrence, by: 1 | -1) => void;
  /** Removes the song at this place of the playlist. It stays in All MP3s. */
  readonly remove: (playlist: Playlist, occurrence: Occurrence) => void;
  /** Deletes the song from the library. */
  readonly deleteSong: (song: number) => void;
  readonly star: (song: number, starred: boolean) => void;
}

/** Makes a playlist a drop target for the space outside of its rows. Dropped songs are added at its end. */
export type UseSongDrop = (block: RefObject<HTMLElement | null>, playlist: Playlist) => void;

export interface SongLocation {
  readonly playlist: Playlist;
  readonly song: number;
  /** Counts the occurrences of the song in the playlist (`Occurrence`). */
  readonly nth: number;
  /**
   * False if the playlist is not shown in its own order: the song can be dragged out, but nothing can be dropped on it.
   */
  readonly isOrderable: boolean;
}

/** Makes a row draggable and a drop target. Returns the edge at which the dragged song would be inserted. */
export type UseSongDrag = (row: RefObject<HTMLElement | null>, location: SongLocation) => 'above' | 'below' | undefined;

/** Songs to play in order, starting at one of them. */
export interface Queue {
  readonly songs: readonly number[];
  readonly at: number;
  /** Id and title of the playlist that the queue comes from. */
  readonly playlist: number;
  readonly name: string;
}

export interface PlayingSong {
  readonly song: number;
  /** The playlist in which it was started. */
  readonly playlist: number;
  /** False while it is paused. */
  readonly isPlaying: boolean;
}

export interface Player {
  readonly getPlaying: () => PlayingSong | undefined;
  readonly subscribe: (listener: () => void) => () => void;
  readonly play: (queue: Queue) => void;
  /** Adds the first of these songs to the queue. Starts playback if nothing plays. */
  readonly addToQueue: (queue: Queue, position: QueuePosition) => void;
  /** Pauses or resumes. Does nothing if nothing was played yet. */
  readonly toggle: () => void;
  /** Seconds; negative to go back. */
  readonly seekBy: (seconds: number) => void;
  readonly next: () => void;
  readonly previous: () => void;
}
