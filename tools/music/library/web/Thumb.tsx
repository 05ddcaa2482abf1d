import { useState, type CSSProperties } from 'react';
import { reachability } from '#platform/web/app/reachability.ts';
import type { Song } from '../../web/musicTypes.ts';
import { useCalm } from './pace.ts';
import styles from './Song.module.css';

/** Songs whose picture did not come: it is not asked for again as they are scrolled past. */
const without = new Set<number>();

interface ThumbProps {
  readonly song: Song;
  readonly isPlaying: boolean;
  readonly onPlay: () => void;
}

/** A song's picture, tinted by its colour; where the list is hurried past, the colour alone. Pressed, it plays the song. */
export function Thumb({ song, isPlaying, onPlay }: ThumbProps) {
  const [failed, setFailed] = useState(() => without.has(song.id));
  const hasPicture = song.hasPicture && !failed;
  const calm = useCalm();
  return (
    <span className={styles['thumb']} style={{ '--c': song.colour } as CSSProperties}>
      {hasPicture ? null : <span className={styles['noPicture']}>[FAILED TO RETRIEVE THUMB]</span>}
      {calm && hasPicture ? (
        <img
          src={`/api/sendytthumb/${song.id}`}
          alt=""
          width={40}
          height={40}
          decoding="async"
          onError={() => {
            // Without a line none comes.
            if (reachability.isReachable()) without.add(song.id);
            setFailed(true);
          }}
        />
      ) : null}
      <button
        type="button"
        className={styles['play']}
        aria-label={`${isPlaying ? 'Pause' : 'Play'} ${song.title}`}
        data-play
        data-playing={isPlaying || undefined}
        disabled={song.isMissing}
        onClick={onPlay}
      />
    </span>
  );
}
