import { memo, useRef } from 'react';
import type { Library, PlayingSong } from '../../web/musicTypes.ts';
import { occurrenceAt } from '../domain/occurrence.ts';
import { heightOf, topOfRow, type BlockShape, type VisiblePart } from '../domain/pageLayout.ts';
import type { Block } from './blocks.ts';
import { Filters } from './Filters.tsx';
import { useSongDrop } from './overlays/useSongDrop.ts';
import { PlaylistHead } from './PlaylistHead.tsx';
import { SongRow } from './SongRow.tsx';
import { songKey } from './viewState.ts';
import styles from './Playlist.module.css';

interface PlaylistBlockProps {
  readonly block: Block;
  readonly shape: BlockShape;
  /** The rows to be drawn. */
  readonly first: VisiblePart['first'];
  readonly end: VisiblePart['end'];
  readonly library: Library;
  readonly opened: ReadonlySet<string>;
  readonly playing: PlayingSong | undefined;
  readonly isNarrow: boolean;
  readonly now: number;
}

const nothing = ({ isFound, playlist, filters }: Block): string => {
  if (isFound) return 'No songs match';
  if (playlist.songs.length === 0) return playlist.isOwn ? 'No songs yet: Add To puts some in' : 'No songs yet';
  return filters.name === '' ? 'No song is in those playlists too' : 'No song fits the filters';
};

type RowsProps = Omit<PlaylistBlockProps, 'isNarrow'>;

/** The drawn songs, at the place where they stand among all. */
function Rows({ block, shape, first, end, library, opened, playing, now }: RowsProps) {
  const { songs, playlist, key, filters, isFound, title } = block;
  if (songs.length === 0) return <p className={styles['nothing']}>{nothing(block)}</p>;
  const canOrder = !isFound && filters.order === 'default' && filters.name === '' && filters.playlists.length === 0;
  return (
    <div className={styles['songs']} style={{ height: topOfRow(shape, shape.rows) }}>
      <ul aria-label={isFound ? title : `Songs of ${title}`} style={{ paddingTop: topOfRow(shape, first) }}>
        {songs.slice(first, end).map((id, at) => {
          const song = library.songs.get(id);
          if (!song) return null;
          const one = occurrenceAt(songs, first + at);
          const rowKey = songKey(key, one);
          const isCurrent = playing?.song === id;
          return (
            <SongRow
              key={rowKey}
              song={song}
              nth={one.nth}
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

/** One playlist, or what a search has found. */
export const PlaylistBlock = memo(function PlaylistBlock({ isNarrow, ...props }: PlaylistBlockProps) {
  const { block, shape, library } = props;
  const { playlist, isExpanded, isFound } = block;
  const section = useRef<HTMLElement>(null);
  useSongDrop(section, playlist);
  return (
    <section
      ref={section}
      className={styles['playlist']}
      data-playlist={isFound ? undefined : playlist.id}
      aria-label={block.title}
      style={{ height: heightOf(shape) }}
    >
      <PlaylistHead block={block} library={library} isNarrow={isNarrow} />
      {isExpanded && !isFound ? <Filters block={block} library={library} isNarrow={isNarrow} /> : null}
      {isExpanded ? <Rows {...props} /> : null}
    </section>
  );
});
