import { useDeferredValue, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { usePlaying } from '../../player/web/player.ts';
import type { Library } from '../../web/musicTypes.ts';
import { blocksOf, type Block } from './blocks.ts';
import { HeightsContext } from './heights.ts';
import { PlaylistBlock } from './PlaylistBlock.tsx';
import { NARROW, useSight, WIDE } from './useSight.ts';
import { useSongKeys } from './useSongKeys.ts';
import { useView, view } from './viewState.ts';
import styles from './Playlist.module.css';

interface PlaylistsProps {
  readonly library: Library;
  readonly isNarrow: boolean;
  /** Told what is shown, whenever that is something else. */
  readonly onShown: (blocks: readonly Block[]) => void;
  /** A playlist that is to come into sight. */
  readonly revealed: number | undefined;
  readonly onRevealed: () => void;
}

/** All playlists, or what a search has found. Only what is in sight is drawn. */
export function Playlists({ library, isNarrow, onShown, revealed, onRevealed }: PlaylistsProps) {
  const { search, expanded, filters, opened } = useView();
  // What is typed stands in its field before it is found.
  const sought = useDeferredValue(search);
  const looks = useDeferredValue(filters);
  const blocks = useMemo(
    () => blocksOf(library, { expanded, filters: looks }, sought),
    [library, expanded, looks, sought],
  );
  const playing = usePlaying();
  const { list, heights, shapes, sight, scrollTo } = useSight(blocks, isNarrow ? NARROW : WIDE);
  const [now] = useState(() => Date.now());
  useSongKeys(blocks, scrollTo);
  useLayoutEffect(() => {
    onShown(blocks);
  }, [onShown, blocks]);

  // What is found begins at the top.
  const before = useRef(sought);
  useLayoutEffect(() => {
    if (before.current !== sought) scrollTo(0, undefined);
    before.current = sought;
  }, [sought, scrollTo]);

  // At every drawing: it may have to be scrolled to before it is drawn.
  useLayoutEffect(() => {
    if (revealed === undefined) return;
    const at = blocks.findIndex(({ playlist, isFound }) => playlist.id === revealed && !isFound);
    if (at < 0) {
      if (view.shown().search !== '') view.search('');
      return;
    }
    scrollTo(at, undefined);
    const head = list.current?.querySelector<HTMLElement>(`[data-playlist="${revealed}"] [data-expand]`);
    if (!head) return;
    head.focus({ preventScroll: true });
    onRevealed();
  });

  return (
    <HeightsContext value={heights}>
      <div ref={list} className={styles['list']} style={{ height: sight.height, paddingTop: sight.top }} data-ready>
        {sight.seen.map(({ block: at, first, end }) => {
          const [block, shape] = [blocks[at], shapes[at]];
          return block && shape ? (
            <PlaylistBlock
              key={block.key}
              block={block}
              shape={shape}
              first={first}
              end={end}
              library={library}
              opened={opened}
              playing={playing}
              isNarrow={isNarrow}
              now={now}
            />
          ) : null;
        })}
      </div>
    </HeightsContext>
  );
}
