import { Button } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowUp,
  IconDownload,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerTrackNext,
  IconPlaylist,
  IconPlaylistAdd,
  IconStar,
  IconStarFilled,
} from '@tabler/icons-react';
import { memo, useRef, useState, type CSSProperties, type ReactNode } from 'react';
import { reachability } from '#platform/web/app/reachability.ts';
import { formatDateRelativeTo, formatPlayTime } from '#platform/web/browser/formats.ts';
import { toSitePath } from '#platform/web/browser/siteAddress.ts';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { ALL_SONGS } from '../../contract/limits.ts';
import { queueLinks } from '../../downloads/web/queueLinks.ts';
import type { Playlist, Song } from '../../web/musicTypes.ts';
import { formatPlayCount } from '../../web/texts.ts';
import { useSongDrag } from './overlays/useSongDrag.ts';
import { usePageActions, saveFile } from './pageActions.ts';
import { useIsCalm } from './pictureQueue.ts';
import { useMeasured } from './useVisibleBlocks.ts';
import { formatSongKey, view } from './viewState.ts';
import styles from './SongRow.module.css';

/** Replaces the row of a song whose file is missing. */
export function Missing({ song }: { readonly song: Song }) {
  if (song.source === '') return <p className={styles['missing']}>File is missing</p>;
  return (
    <p className={styles['missing']}>
      File is missing,{' '}
      <button type="button" onClick={() => void queueLinks(song.source, { isExact: true })}>
        download again?
      </button>
    </p>
  );
}

/** Songs whose picture failed to load, so that it is not requested again on every scroll. */
const songsWithoutPicture = new Set<number>();

interface ThumbProps {
  readonly song: Song;
  readonly isPlaying: boolean;
  readonly onPlay: () => void;
}

/** The picture of a song, tinted with its colour; during fast scrolling only the colour. A click plays the song. */
export function Thumb({ song, isPlaying, onPlay }: ThumbProps) {
  const [failed, setFailed] = useState(() => songsWithoutPicture.has(song.id));
  const hasPicture = song.hasPicture && !failed;
  const isCalm = useIsCalm();
  return (
    <span className={styles['thumb']} style={{ '--c': song.colour } as CSSProperties}>
      {hasPicture ? null : <span className={styles['noPicture']}>[FAILED TO RETRIEVE THUMB]</span>}
      {isCalm && hasPicture ? (
        <img
          src={toSitePath(`/api/sendytthumb/${song.id}`)}
          alt=""
          width={40}
          height={40}
          decoding="async"
          onError={() => {
            // Offline, pictures fail for another reason.
            if (reachability.isReachable()) songsWithoutPicture.add(song.id);
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

interface RowButtonProps {
  readonly icon?: ReactNode;
  readonly title?: string | undefined;
  readonly disabled?: boolean;
  readonly onClick?: () => void;
  readonly children: string;
}

function RowButton({ icon, title, disabled = false, onClick, children }: RowButtonProps) {
  return (
    <Button
      size="xs"
      leftSection={icon}
      disabled={disabled}
      {...(title === undefined ? {} : { title })}
      onClick={onClick}
    >
      {children}
    </Button>
  );
}

const ICON_PROPS = { size: 15, stroke: 1.75 } as const;

interface OrderProps {
  readonly song: Song;
  /** Counts the occurrences of the song in the playlist (`Occurrence`). */
  readonly nth: number;
  readonly playlist: Playlist;
  readonly canOrder: boolean;
}

function findOrderProblem({ playlist, canOrder }: OrderProps): string | undefined {
  if (!playlist.isOwn) return `The order of ${playlist.title} can't be changed`;
  return canOrder ? undefined : 'Available in the default order without filters';
}

/** Buttons to move a song up and down, and the buttons of the specification that do nothing. */
function OrderButtons(props: OrderProps) {
  const { song, nth, playlist } = props;
  const occurrence = { song: song.id, nth };
  const { songs: actions } = usePageActions();
  const problem = findOrderProblem(props);
  const canMove = (by: 1 | -1): boolean => problem === undefined && actions.canMove(playlist, occurrence, by);
  return (
    <>
      <RowButton title="Not available. Use Order up and Order down">Change order</RowButton>
      <RowButton
        icon={<IconArrowUp {...ICON_PROPS} />}
        title={problem}
        disabled={!canMove(-1)}
        onClick={() => actions.move(playlist, occurrence, -1)}
      >
        Order up
      </RowButton>
      <RowButton
        icon={<IconArrowDown {...ICON_PROPS} />}
        title={problem}
        disabled={!canMove(1)}
        onClick={() => actions.move(playlist, occurrence, 1)}
      >
        Order down
      </RowButton>
    </>
  );
}

interface SongActionsProps extends OrderProps {
  readonly measureKey: string;
  readonly isPlaying: boolean;
  readonly onPlay: () => void;
}

/** The actions on a song (docs/specification/music.md section 1.3). */
export function SongActions({ song, nth, playlist, measureKey, canOrder, isPlaying, onPlay }: SongActionsProps) {
  const actions = usePageActions();
  const measured = useMeasured(measureKey);
  const { id, title, starred, isMissing } = song;
  return (
    <div ref={measured} className={styles['actions']} role="group" aria-label={`Options for ${title}`}>
      <RowButton
        icon={<IconDownload {...ICON_PROPS} />}
        disabled={isMissing}
        onClick={() => void saveFile(title, { songs: [id] })}
      >
        Download
      </RowButton>
      <RowButton
        icon={isPlaying ? <IconPlayerPause {...ICON_PROPS} /> : <IconPlayerPlay {...ICON_PROPS} />}
        disabled={isMissing}
        onClick={onPlay}
      >
        {isPlaying ? 'Pause' : 'Play'}
      </RowButton>
      <OrderButtons song={song} nth={nth} playlist={playlist} canOrder={canOrder} />
      {playlist.id === ALL_SONGS ? (
        <ConfirmButton size="xs" confirmLabel="Confirm Delete" onConfirm={() => actions.songs.deleteSong(id)}>
          Delete
        </ConfirmButton>
      ) : (
        <ConfirmButton
          size="xs"
          confirmLabel="Confirm To remove"
          onConfirm={() => actions.songs.remove(playlist, { song: id, nth })}
        >
          Remove
        </ConfirmButton>
      )}
      <RowButton icon={<IconPencil {...ICON_PROPS} />} onClick={() => actions.open({ name: 'renameSong', song: id })}>
        Rename
      </RowButton>
      <RowButton
        icon={<IconPlaylistAdd {...ICON_PROPS} />}
        title="M"
        onClick={() => actions.open({ name: 'addSongTo', song: id })}
      >
        Add to playlist…
      </RowButton>
      <RowButton
        icon={starred ? <IconStarFilled size={15} /> : <IconStar {...ICON_PROPS} />}
        onClick={() => actions.songs.star(id, !starred)}
      >
        {starred ? 'Unstar' : 'Star'}
      </RowButton>
      <RowButton
        icon={<IconPlayerTrackNext {...ICON_PROPS} />}
        disabled={isMissing}
        onClick={() => actions.addToQueue(song, playlist, 'next')}
      >
        Play next
      </RowButton>
      <RowButton
        icon={<IconPlaylist {...ICON_PROPS} />}
        disabled={isMissing}
        onClick={() => actions.addToQueue(song, playlist, 'last')}
      >
        Add to queue
      </RowButton>
      <input type="checkbox" className={styles['box']} aria-label={`Select ${title}`} title="Does nothing" />
    </div>
  );
}

interface SongRowProps {
  readonly song: Song;
  /** Counts the occurrences of the song in the playlist (`Occurrence`). */
  readonly nth: number;
  readonly playlist: Playlist;
  readonly block: string;
  /** Index among all shown songs of the playlist, rendered or not. */
  readonly place: number;
  readonly count: number;
  readonly isOpen: boolean;
  /** Whether the player plays this song from this playlist. */
  readonly isCurrent: boolean;
  readonly isPlaying: boolean;
  /** Whether the playlist is shown in its own order. */
  readonly canOrder: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const formatDetails = (song: Song, now: number): string =>
  [song.artist, `added ${formatDateRelativeTo(song.added, now)}`].filter(Boolean).join(' · ');

/** A song in a playlist. Options opens its actions. */
export const SongRow = memo(function SongRow(props: SongRowProps) {
  const { song, nth, playlist, block, place, count, isOpen, isCurrent, isPlaying, canOrder, now } = props;
  const actions = usePageActions();
  const row = useRef<HTMLLIElement>(null);
  const edge = useSongDrag(row, { playlist, song: song.id, nth, isOrderable: canOrder });
  const key = formatSongKey(block, { song: song.id, nth });
  const play = (): void => actions.play(block, { song: song.id, nth });
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
        <div className={`${styles['details']} ellipsis`}>
          <span className={styles['title']}>{song.title}</span>
          {song.isMissing ? (
            <Missing song={song} />
          ) : (
            <>
              <br />
              <span className={styles['note']}>{formatDetails(song, now)}</span>
            </>
          )}
        </div>
        <p className={`${styles['length']} num`}>
          {song.starred ? <span className={styles['star']} role="img" aria-label="Starred" title="Starred" /> : null}
          {formatPlayTime(song.duration)}
          {song.plays > 0 ? <small>{formatPlayCount(song.plays)}</small> : null}
        </p>
        <button
          type="button"
          className={styles['options']}
          aria-expanded={isOpen}
          aria-label={`Options for ${song.title}`}
          data-options
          onClick={() => view.toggleOptions(key)}
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
