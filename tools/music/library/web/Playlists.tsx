import { useDeferredValue, useLayoutEffect, useMemo, useRef, useState, memo } from 'react';
import { usePlaying } from '../../player/web/player.ts';
import type { Library, PlayingSong } from '../../web/musicTypes.ts';
import { getBlockHeight, getRowTop, type BlockShape, type VisiblePart } from '../domain/pageLayout.ts';
import { getOccurrence } from '../domain/playlist.ts';
import { toBlocks, type Block } from './blocks.ts';
import { Filters } from './Filters.tsx';
import { useSongDrop } from './overlays/useSongDrag.ts';
import { PlaylistHead } from './PlaylistHead.tsx';
import { SongRow } from './SongRow.tsx';
import { useSongKeys } from './useSongKeys.ts';
import { HeightsContext, NARROW, useVisibleBlocks, WIDE } from './useVisibleBlocks.ts';
import { useView, view, formatSongKey } from './viewState.ts';
import styles from './Playlist.module.css';

interface PlaylistBlockProps {
  readonly block: Block;
  readonly shape: BlockShape;
  /** Range of the rows to render. */
  readonly first: VisiblePart['first'];
  readonly end: VisiblePart['end'];
  readonly library: Library;
  readonly opened: ReadonlySet<string>;
  readonly playing: PlayingSong | undefined;
  readonly isNarrow: boolean;
  readonly now: number;
}

function getEmptyText({ isSearchResult, playlist, filters }: Block): string {
  if (isSearchResult) return 'No songs match';
  if (playlist.songs.length === 0) return playlist.isOwn ? 'No songs yet. Use Add To to add some' : 'No songs yet';
  return filters.name === '' ? 'None of its songs are in those playlists' : 'No songs match the filters';
}

type RowsProps = Omit<PlaylistBlockProps, 'isNarrow'>;

/** Rows of the rendered songs, at their position among all songs. */
function Rows({ block, shape, first, end, library, opened, playing, now }: RowsProps) {
  const { songs, playlist, key, filters, isSearchResult, title } = block;
  if (songs.length === 0) return <p className={styles['empty']}>{getEmptyText(block)}</p>;
  const canOrder =
    !isSearchResult && filters.order === 'default' && filters.name === '' && filters.playlists.length === 0;
  return (
    <div className={styles['songs']} style={{ height: getRowTop(shape, shape.rows) }}>
      <ul aria-label={isSearchResult ? title : `Songs of ${title}`} style={{ paddingTop: getRowTop(shape, first) }}>
        {songs.slice(first, end).map((id, at) => {
          const song = library.songs.get(id);
          if (!song) return null;
          const occurrence = getOccurrence(songs, first + at);
          const rowKey = formatSongKey(key, occurrence);
          const isCurrent = playing?.song === id;
          return (
            <SongRow
              key={rowKey}
              song={song}
              nth={occurrence.nth}
              playlist={playlist}
              block={key}
              place={first + at}
              count={songs.length}
              isOpen={opened.has(rowKey)}
              isCurrent={isCurrent}
              isPlaying={isCurrent && playing.isPlaying}
              canOrder={canOrder && playlist.isOwn}
              now={now}
            />
          );
        })}
      </ul>
    </div>
  );
}

/** A playlist, or the results of a search. */
export const PlaylistBlock = memo(function PlaylistBlock({ isNarrow, ...props }: PlaylistBlockProps) {
  const { block, shape, library } = props;
  const { playlist, isExpanded, isSearchResult } = block;
  const section = useRef<HTMLElement>(null);
  useSongDrop(section, playlist);
  return (
    <section
      ref={section}
      className={`${styles['playlist']} surface`}
      data-playlist={isSearchResult ? undefined : playlist.id}
      aria-label={block.title}
      style={{ height: getBlockHeight(shape) }}
    >
      <PlaylistHead block={block} library={library} isNarrow={isNarrow} />
      {isExpanded && !isSearchResult ? <Filters block={block} library={library} isNarrow={isNarrow} /> : null}
      {isExpanded ? <Rows {...props} /> : null}
    </section>
  );
});

interface PlaylistsProps {
  readonly library: Library;
  readonly isNarrow: boolean;
  /** Called when the blocks change. */
  readonly onShown: (blocks: readonly Block[]) => void;
  /** A playlist to scroll to. */
  readonly revealed: number | undefined;
  readonly onRevealed: () => void;
}

/** All playlists, or the results of a search. Only blocks in view are rendered. */
export function Playlists({ library, isNarrow, onShown, revealed, onRevealed }: PlaylistsProps) {
  const { search, expanded, filters, opened } = useView();
  // The search field must not wait for the results.
  const deferredSearch = useDeferredValue(search);
  const deferredFilters = useDeferredValue(filters);
  const blocks = useMemo(
    () => toBlocks(library, { expanded, filters: deferredFilters }, deferredSearch),
    [library, expanded, deferredFilters, deferredSearch],
  );
  const playing = usePlaying();
  const { list, heights, shapes, visible, scrollTo } = useVisibleBlocks(blocks, isNarrow ? NARROW : WIDE);
  const [now] = useState(() => Date.now());
  useSongKeys(blocks, scrollTo);
  useLayoutEffect(() => {
    onShown(blocks);
  }, [onShown, blocks]);

  // Results are shown from the top.
  const previousSearch = useRef(deferredSearch);
  useLayoutEffect(() => {
    if (previousSearch.current !== deferredSearch) scrollTo(0, undefined);
    previousSearch.current = deferredSearch;
  }, [deferredSearch, scrollTo]);

  // After every render, because the playlist may have to be scrolled to before it is rendered.
  useLayoutEffect(() => {
    if (revealed === undefined) return;
    const at = blocks.findIndex(({ playlist, isSearchResult }) => playlist.id === revealed && !isSearchResult);
    if (at < 0) {
      if (view.getState().search !== '') view.setSearch('');
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
      <div ref={list} className={styles['list']} style={{ height: visible.height, paddingTop: visible.top }} data-ready>
        {visible.parts.map(({ block: at, first, end }) => {
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
