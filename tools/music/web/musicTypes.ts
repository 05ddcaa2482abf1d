// The border within the music pages. The page (page/) opens overlays by name and plays through the player; overlays/ and player/ read the
// library from library.ts and give what stands here. Where to find it:
//   overlays/Overlays.tsx      Overlays(props: OverlaysProps), loaded with the first one that opens
//   overlays/useSongActs.ts    useSongActs: () => SongActs
//   overlays/useSongDrag.ts    useSongDrag: UseSongDrag
//   overlays/useSongDrop.ts    useSongDrop: UseSongDrop
//   player/player.ts           player: Player, and usePlaying: () => Playing | undefined; both small: what makes sound is loaded by the first play
import type { RefObject } from 'react';
import type { Occurrence } from '../library/domain/playlist.ts';
import type { QueuePosition } from '../player/domain/queue.ts';

/** A song as pages have it. */
export interface Song {
  readonly id: number;
  readonly title: string;
  readonly artist: string;
  readonly album: string;
  /** CSS, of its picture. */
  readonly colour: string;
  /** The newest has the largest. */
  readonly order: number;
  /** Seconds. */
  readonly duration: number;
  /** Bytes. */
  readonly size: number;
  /** ISO. */
  readonly added: string;
  readonly plays: number;
  readonly starred: boolean;
  /** ReplayGain, in dB. */
  readonly gain: number;
  readonly peak: number;
  /** Where it came from; empty for an uploaded one. */
  readonly source: string;
  /** Its file is not there. */
  readonly isMissing: boolean;
  readonly hasPicture: boolean;
}

export interface Playlist {
  readonly id: number;
  readonly title: string;
  /** In order. */
  readonly songs: readonly number[];
  /** Only these may be added to or changed. */
  readonly isOwn: boolean;
}

/** What the server told: without what pages show until it has answered. All MP3s is not among the lists. */
export interface ServerLibrary {
  readonly songs: ReadonlyMap<number, Song>;
  readonly lists: ReadonlyMap<number, Playlist>;
  /** To be told only what changed since. */
  readonly revision: string;
}

export interface Library {
  readonly songs: ReadonlyMap<number, Song>;
  /** All MP3s first, then by title. */
  readonly playlists: readonly Playlist[];
  readonly playlistOf: ReadonlyMap<number, Playlist>;
  /** Bytes, of how many. */
  readonly used: number;
  readonly quota: number;
  readonly told: ServerLibrary;
}

/** Overlays about one playlist (specification 2, section 2.7). */
export type PlaylistOverlay =
  | 'renamePlaylist'
  | 'copyPlaylist'
  | 'addTo'
  | 'addExistingSong'
  | 'mergeExisting'
  | 'addNewSong'
  | 'mergeNew'
  | 'options';

/** One is open at a time, so which one is a single value. */
export type Overlay =
  | { readonly name: 'createPlaylist'; /** That comes into it at once. */ readonly song?: number }
  | { readonly name: 'renameSong'; readonly song: number }
  | { readonly name: 'addSongTo'; readonly song: number }
  | { readonly name: PlaylistOverlay; readonly playlist: number };

export interface OverlaysProps {
  readonly overlay: Overlay | undefined;
  /** What it is about may be gone: deleted in another tab. */
  readonly library: Library;
  /** Opens another one in its place; undefined closes. */
  readonly open: (overlay: Overlay | undefined) => void;
  /** Queues a link; how it goes is shown by the downloads panel, a refusal too. */
  readonly download: (url: string, playlist: number) => void;
  /** Scrolls to a playlist, such as one that was just made, and gives it the focus. */
  readonly reveal: (playlist: number) => void;
}

/** What is done to a song. Shown at once, taken back where the server refuses, and with an Undo where something goes. */
export interface SongActions {
  readonly canMove: (playlist: Playlist, one: Occurrence, by: 1 | -1) => boolean;
  readonly move: (playlist: Playlist, one: Occurrence, by: 1 | -1) => void;
  /** Out of that place of the playlist; it stays in All MP3s. */
  readonly remove: (playlist: Playlist, one: Occurrence) => void;
  /** Out of the library. */
  readonly deleteSong: (song: number) => void;
  readonly star: (song: number, starred: boolean) => void;
}

/** Makes a playlist one that songs can be dropped on, wherever no row of it takes them: they come behind the others. */
export type UseSongDrop = (block: RefObject<HTMLElement | null>, playlist: Playlist) => void;

export interface SongPlace {
  readonly playlist: Playlist;
  readonly song: number;
  /** Of the song in the playlist (`Occurrence`). */
  readonly nth: number;
  /** False where the order shown is not the playlist's own: it may be dragged out, and nothing dropped on it. */
  readonly canOrder: boolean;
}

/** Makes a row one that can be dragged, and dropped on. Gives the edge at which what is dragged over it would come to stand. */
export type UseSongDrag = (row: RefObject<HTMLElement | null>, place: SongPlace) => 'above' | 'below' | undefined;

/** What to play: these songs in order, from one of them on. */
export interface Queue {
  readonly songs: readonly number[];
  readonly at: number;
  /** The playlist it comes from, and what that is called. */
  readonly playlist: number;
  readonly name: string;
}

export interface PlayingSong {
  readonly song: number;
  /** The playlist it was begun from. */
  readonly playlist: number;
  /** False while it is held. */
  readonly isPlaying: boolean;
}

export interface Player {
  readonly playing: () => PlayingSong | undefined;
  readonly subscribe: (tell: () => void) => () => void;
  readonly play: (queue: Queue) => void;
  /** The first of these songs, into what plays; where nothing does it begins. */
  readonly putIn: (queue: Queue, behind: QueuePosition) => void;
  /** Holds, or goes on; nothing where nothing was played yet. */
  readonly toggle: () => void;
  /** Seconds, back where negative. */
  readonly seekBy: (seconds: number) => void;
  readonly next: () => void;
  readonly previous: () => void;
}
