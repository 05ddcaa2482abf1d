import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { useEffect, useState } from 'react';
import type { UseSongDrag, UseSongDrop } from '#tools/music/web/musicTypes.ts';
import { getDropIndex } from '../../domain/pageLayout.ts';
import { findOccurrence } from '../../domain/playlist.ts';
import { useLibraryActs } from './libraryActions.ts';

/** Key of the song in the data of a dragged row. */
export const SONG = 'music.song';
/** Key of the occurrence of the song in its playlist. */
export const NTH = 'music.nth';

/** Returns the dragged song; undefined for anything else. */
export function findDraggedSong({ data }: { readonly data: Readonly<Record<string | symbol, unknown>> }) {
  return typeof data[SONG] === 'number' ? data[SONG] : undefined;
}

/** Makes a playlist a drop target: its header, its empty line, and its rows while they are shown in another order. */
export const useSongDrop: UseSongDrop = (block, playlist) => {
  const acts = useLibraryActs();
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
          acts.putInto(playlist, song);
      },
    });
    return () => {
      stop();
      mark(false);
    };
  }, [block, acts, playlist]);
};

type Edge = 'above' | 'below';

const PLAYLIST = 'music.playlist';

const getEdge = (row: Element, y: number): Edge => {
  const { top, height } = row.getBoundingClientRect();
  return y < top + height / 2 ? 'above' : 'below';
};

/** Returns the focus to the same control of a row after the row has moved. */
const keepFocus = (row: HTMLElement): void => {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || !row.contains(focused)) return;
  requestAnimationFrame(() => {
    if (!focused.isConnected || document.activeElement === focused) return;
    focused.focus({ preventScroll: true });
  });
};

/** Makes a row draggable within and between playlists, and movable by one with Ctrl and an arrow key. */
export const useSongDrag: UseSongDrag = (row, { playlist, song, nth, canOrder }) => {
  const acts = useLibraryActs();
  const [edge, setEdge] = useState<Edge>();
  const canDrop = canOrder && playlist.isOwn;

  useEffect(() => {
    const element = row.current;
    if (!element) return undefined;
    const isSame = (data: Readonly<Record<string | symbol, unknown>>): boolean =>
      data[PLAYLIST] === playlist.id && data[SONG] === song && data[NTH] === nth;
    const stopCarrying = draggable({
      element,
      getInitialData: () => ({ [SONG]: song, [NTH]: nth, [PLAYLIST]: playlist.id }),
      onDragStart: () => {
        element.dataset['dragged'] = '';
      },
      onDrop: () => delete element.dataset['dragged'],
    });
    if (!canDrop) return stopCarrying;
    const stopTaking = dropTargetForElements({
      element,
      canDrop: ({ source }) => findDraggedSong(source) !== undefined && !isSame(source.data),
      onDrag: ({ location }) => setEdge(getEdge(element, location.current.input.clientY)),
      onDragLeave: () => setEdge(undefined),
      onDrop: ({ source, location }) => {
        setEdge(undefined);
        const dragged = findDraggedSong(source);
        if (dragged === undefined) return;
        const { [PLAYLIST]: home, [NTH]: number } = source.data;
        const one = { song: dragged, nth: home === playlist.id && typeof number === 'number' ? number : 0 };
        const from = findOccurrence(playlist.songs, one);
        const side = getEdge(element, location.current.input.clientY) === 'above' ? 'before' : 'behind';
        // A song of another playlist is treated as if it came after the last one.
        const place = getDropIndex(
          from < 0 ? playlist.songs.length : from,
          findOccurrence(playlist.songs, { song, nth }),
          side,
        );
        acts.put(playlist, one, place);
      },
    });
    return () => {
      stopCarrying();
      stopTaking();
    };
  }, [row, acts, playlist, song, nth, canDrop]);

  useEffect(() => {
    const element = row.current;
    if (!element || !canDrop) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      const by = ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key];
      if (by === undefined || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      keepFocus(element);
      acts.songs.move(playlist, { song, nth }, by);
    };
    element.addEventListener('keydown', onKey);
    return () => element.removeEventListener('keydown', onKey);
  }, [row, acts, playlist, song, nth, canDrop]);

  return edge;
};
