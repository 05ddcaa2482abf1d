import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { useEffect, useState } from 'react';
import type { UseSongDrag, UseSongDrop } from '#tools/music/web/musicTypes.ts';
import { getDropIndex } from '../../domain/pageLayout.ts';
import { findOccurrence } from '../../domain/playlist.ts';
import { useLibraryActions } from './libraryActions.ts';

/** Key of the song in the data of a dragged row. */
export const SONG_KEY = 'music.song';
/** Key of the occurrence of the song in its playlist. */
export const NTH_KEY = 'music.nth';

/** Returns the dragged song; undefined for anything else. */
export function findDraggedSong({ data }: { readonly data: Readonly<Record<string | symbol, unknown>> }) {
  return typeof data[SONG_KEY] === 'number' ? data[SONG_KEY] : undefined;
}

/** Makes a playlist a drop target: its header, its empty line, and its rows while they are shown in another order. */
export const useSongDrop: UseSongDrop = (block, playlist) => {
  const actions = useLibraryActions();
  useEffect(() => {
    const element = block.current;
    if (!element || !playlist.isOwn) return undefined;
    const mark = (isOver: boolean): void => {
      if (isOver) element.dataset['dropped'] = '';
      else delete element.dataset['dropped'];
    };
    const stop = dropTargetForElements({
      element,
      canDrop: ({ source }) => {
        const song = findDraggedSong(source);
        return song !== undefined && !playlist.songs.includes(song);
      },
      // A row below the pointer shows the position itself.
      onDropTargetChange: ({ location, self }) => mark(location.current.dropTargets[0]?.element === self.element),
      onDragLeave: () => mark(false),
      onDrop: ({ source, location, self }) => {
        mark(false);
        const song = findDraggedSong(source);
        if (song !== undefined && location.current.dropTargets[0]?.element === self.element)
          actions.addWithNotice(playlist, song);
      },
    });
    return () => {
      stop();
      mark(false);
    };
  }, [block, actions, playlist]);
};

type Edge = 'above' | 'below';

const PLAYLIST_KEY = 'music.playlist';

function getEdge(row: Element, y: number): Edge {
  const { top, height } = row.getBoundingClientRect();
  return y < top + height / 2 ? 'above' : 'below';
}

/** Returns the focus to the same control of a row after the row has moved. */
function restoreFocus(row: HTMLElement): void {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || !row.contains(focused)) return;
  requestAnimationFrame(() => {
    if (!focused.isConnected || document.activeElement === focused) return;
    focused.focus({ preventScroll: true });
  });
}

/** Makes a row draggable within and between playlists, and movable by one with Ctrl and an arrow key. */
export const useSongDrag: UseSongDrag = (row, { playlist, song, nth, isOrderable }) => {
  const actions = useLibraryActions();
  const [edge, setEdge] = useState<Edge>();
  const canDrop = isOrderable && playlist.isOwn;

  useEffect(() => {
    const element = row.current;
    if (!element) return undefined;
    const isSame = (data: Readonly<Record<string | symbol, unknown>>): boolean =>
      data[PLAYLIST_KEY] === playlist.id && data[SONG_KEY] === song && data[NTH_KEY] === nth;
    const removeDraggable = draggable({
      element,
      getInitialData: () => ({ [SONG_KEY]: song, [NTH_KEY]: nth, [PLAYLIST_KEY]: playlist.id }),
      onDragStart: () => {
        element.dataset['dragged'] = '';
      },
      onDrop: () => delete element.dataset['dragged'],
    });
    if (!canDrop) return removeDraggable;
    const removeDropTarget = dropTargetForElements({
      element,
      canDrop: ({ source }) => findDraggedSong(source) !== undefined && !isSame(source.data),
      onDrag: ({ location }) => setEdge(getEdge(element, location.current.input.clientY)),
      onDragLeave: () => setEdge(undefined),
      onDrop: ({ source, location }) => {
        setEdge(undefined);
        const dragged = findDraggedSong(source);
        if (dragged === undefined) return;
        const { [PLAYLIST_KEY]: sourcePlaylist, [NTH_KEY]: number } = source.data;
        const occurrence = {
          song: dragged,
          nth: sourcePlaylist === playlist.id && typeof number === 'number' ? number : 0,
        };
        const from = findOccurrence(playlist.songs, occurrence);
        const side = getEdge(element, location.current.input.clientY) === 'above' ? 'before' : 'after';
        // A song of another playlist is treated as if it came after the last one.
        const place = getDropIndex(
          from < 0 ? playlist.songs.length : from,
          findOccurrence(playlist.songs, { song, nth }),
          side,
        );
        actions.moveTo(playlist, occurrence, place);
      },
    });
    return () => {
      removeDraggable();
      removeDropTarget();
    };
  }, [row, actions, playlist, song, nth, canDrop]);

  useEffect(() => {
    const element = row.current;
    if (!element || !canDrop) return undefined;
    const handleKeyDown = (event: KeyboardEvent): void => {
      const by = ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key];
      if (by === undefined || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      restoreFocus(element);
      actions.songs.move(playlist, { song, nth }, by);
    };
    element.addEventListener('keydown', handleKeyDown);
    return () => element.removeEventListener('keydown', handleKeyDown);
  }, [row, actions, playlist, song, nth, canDrop]);

  return edge;
};
