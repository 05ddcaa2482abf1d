import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { useEffect } from 'react';
import type { UseSongDrop } from '#tools/music/web/musicTypes.ts';
import { carriedSong } from './carried.ts';
import { useLibraryActs } from './useSongActs.ts';

/** A playlist takes what is dropped on its head, on its empty line, or on rows that are shown in another order. */
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
        const song = carriedSong(source);
        return song !== undefined && !playlist.songs.includes(song);
      },
      // A row that is under the pointer shows the place itself.
      onDropTargetChange: ({ location, self }) => mark(location.current.dropTargets[0]?.element === self.element),
      onDragLeave: () => mark(false),
      onDrop: ({ source, location, self }) => {
        mark(false);
        const song = carriedSong(source);
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
