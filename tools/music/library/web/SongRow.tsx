import { memo, useRef } from 'react';
import type { Playlist, Song } from '../../web/musicTypes.ts';
import { dayText, lengthText, playsText } from '../../web/texts.ts';
import { Missing } from './Missing.tsx';
import { useSongDrag } from './overlays/useSongDrag.ts';
import { useActs } from './pageActions.ts';
import { SongActions } from './SongActions.tsx';
import { Thumb } from './Thumb.tsx';
import { songKey, view } from './viewState.ts';
import styles from './Song.module.css';

interface SongRowProps {
  readonly song: Song;
  /** Which of its places in the playlist this is (`Occurrence`). */
  readonly nth: number;
  readonly playlist: Playlist;
  readonly block: string;
  /** Among all that are shown of its playlist, drawn or not. */
  readonly place: number;
  readonly count: number;
  readonly isOpen: boolean;
  /** What the player has: this song, begun from this playlist. */
  readonly isCurrent: boolean;
  readonly isPlaying: boolean;
  /** Whether the order that is shown is the playlist's own. */
  readonly canOrder: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const lineOf = (song: Song, now: number): string =>
  [song.artist, `added ${dayText(song.added, now)}`].filter(Boolean).join(' · ');

/** A song in its playlist; what can be done with it stands behind Options. */
export const SongRow = memo(function SongRow(props: SongRowProps) {
  const { song, nth, playlist, block, place, count, isOpen, isCurrent, isPlaying, canOrder, now } = props;
  const acts = useActs();
  const row = useRef<HTMLLIElement>(null);
  const edge = useSongDrag(row, { playlist, song: song.id, nth, canOrder });
  const key = songKey(block, { song: song.id, nth });
  const play = (): void => acts.play(block, { song: song.id, nth });
  return (
    <li
      ref={row}
      className={styles['song']}
      data-song={key}
      data-current={isCurrent || undefined}
      data-open={isOpen || undefined}
      data-edge={edge}
      aria-setsize={count}
      aria-posinset={place + 1}
    >
      <div className={styles['line']}>
        <Thumb song={song} isPlaying={isPlaying} onPlay={play} />
        <div className={`${styles['words']} ellipsis`}>
          <span className={styles['title']}>{song.title}</span>
          {song.isMissing ? (
            <Missing song={song} />
          ) : (
            <>
              <br />
              <span className={styles['note']}>{lineOf(song, now)}</span>
            </>
          )}
        </div>
        <p className={styles['length']}>
          {song.starred ? <span className={styles['star']} role="img" aria-label="Starred" title="Starred" /> : null}
          {lengthText(song.duration)}
          {song.plays > 0 ? <small>{playsText(song.plays)}</small> : null}
        </p>
        <button
          type="button"
          className={styles['options']}
          aria-expanded={isOpen}
          aria-label={`Options of ${song.title}`}
          data-options
          onClick={() => view.open(key)}
        >
          Options
        </button>
      </div>
      {isOpen ? (
        <SongActions
          song={song}
          nth={nth}
          playlist={playlist}
          measureKey={key}
          canOrder={canOrder}
          isPlaying={isPlaying}
          onPlay={play}
        />
      ) : null}
    </li>
  );
});
