import { IconDotsVertical, IconDownload, IconPlaylist, IconPlaylistAdd, IconSearch } from '@tabler/icons-react';
import { memo, type CSSProperties } from 'react';
import type { Library } from '../../web/musicTypes.ts';
import { formatRoughDuration, formatSongCount } from '../../web/texts.ts';
import type { Block } from './blocks.ts';
import { saveFile, usePageActions } from './pageActions.ts';
import { view } from './viewState.ts';
import styles from './Playlist.module.css';

interface PlaylistHeadProps {
  readonly block: Block;
  readonly library: Library;
  readonly isNarrow: boolean;
}

/** Returns the colour of a playlist: that of its first song. */
function getColour({ playlist }: Block, library: Library): CSSProperties {
  const [first] = playlist.songs;
  const colour = playlist.isOwn && first !== undefined ? library.songs.get(first)?.colour : undefined;
  return { '--c': colour ?? 'var(--text-3)' } as CSSProperties;
}

const NOT_CHANGEABLE_MESSAGE = 'All MP3s always contains every song';

/** The buttons of an expanded playlist, which narrow windows show below its header. */
export function PlaylistButtons({ block }: Pick<PlaylistHeadProps, 'block'>) {
  const { open } = usePageActions();
  const { playlist, title } = block;
  return (
    <>
      <button
        type="button"
        className={styles['button']}
        disabled={!playlist.isOwn}
        title={playlist.isOwn ? undefined : NOT_CHANGEABLE_MESSAGE}
        aria-label={`Add To ${title}`}
        onClick={() => open({ name: 'addTo', playlist: playlist.id })}
      >
        <IconPlaylistAdd size={15} stroke={1.75} aria-hidden />
        Add To
      </button>
      <button
        type="button"
        className={styles['button']}
        disabled={playlist.songs.length === 0}
        aria-label={`Download ${title}`}
        onClick={() => void saveFile(title, { playlist: playlist.id })}
      >
        <IconDownload size={15} stroke={1.75} aria-hidden />
        Download
      </button>
    </>
  );
}

/** The header of a playlist with its actions (docs/specification/music.md section 1.2). */
export const PlaylistHead = memo(function PlaylistHead({ block, library, isNarrow }: PlaylistHeadProps) {
  const { open, playAll } = usePageActions();
  const { playlist, title, isSearchResult, isExpanded, songs, duration } = block;
  const count = isSearchResult ? songs.length : playlist.songs.length;
  const Icon = isSearchResult ? IconSearch : IconPlaylist;
  return (
    <header className={styles['head']}>
      <button
        type="button"
        className={styles['cover']}
        style={getColour(block, library)}
        aria-label={`Play ${title}`}
        title={`Play ${title}`}
        disabled={count === 0}
        onClick={() => playAll(block.key)}
      >
        <Icon size={20} stroke={1.75} aria-hidden />
      </button>
      <div className={styles['details']}>
        <h2 className="ellipsis" dir="auto">
          {title}
        </h2>
        <p className={`${styles['count']} num`}>
          <span>{formatSongCount(count)}</span>
          {duration > 0 ? <span className={styles['duration']}>{formatRoughDuration(duration)}</span> : null}
        </p>
      </div>
      {isSearchResult ? null : (
        <>
          <button
            type="button"
            className={styles['button']}
            aria-expanded={isExpanded}
            aria-label={`${isExpanded ? 'Collapse' : 'Expand'} ${title}`}
            data-expand
            onClick={() => view.toggleExpanded(playlist.id)}
          >
            {isExpanded ? 'Collapse' : 'Expand'}
          </button>
          {isNarrow ? null : <PlaylistButtons block={block} />}
          <button
            type="button"
            className={styles['menu']}
            disabled={!playlist.isOwn}
            title={playlist.isOwn ? `Options for ${title}` : NOT_CHANGEABLE_MESSAGE}
            aria-label={`Options for ${title}`}
            onClick={() => open({ name: 'options', playlist: playlist.id })}
          >
            <IconDotsVertical size={18} stroke={1.75} aria-hidden />
          </button>
        </>
      )}
    </header>
  );
});
