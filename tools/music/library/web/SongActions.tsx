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
import type { ReactNode } from 'react';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { ALL_SONGS } from '../../contract/limits.ts';
import type { Playlist, Song } from '../../web/musicTypes.ts';
import { useMeasured } from './heights.ts';
import { keepFile } from './keep.ts';
import { useActs } from './pageActions.ts';
import styles from './Song.module.css';

interface ActProps {
  readonly icon?: ReactNode;
  readonly title?: string | undefined;
  readonly disabled?: boolean;
  readonly onClick?: () => void;
  readonly children: string;
}

function Act({ icon, title, disabled = false, onClick, children }: ActProps) {
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

const ICON = { size: 15, stroke: 1.75 } as const;

interface OrderProps {
  readonly song: Song;
  /** Of the song in the playlist (`Occurrence`). */
  readonly nth: number;
  readonly playlist: Playlist;
  readonly canOrder: boolean;
}

const whyNotOrdered = ({ playlist, canOrder }: OrderProps): string | undefined => {
  if (!playlist.isOwn) return `The order of ${playlist.title} cannot be changed`;
  return canOrder ? undefined : 'Works in the default order, with no filter set';
};

/** Up and down, not beyond either end; and what the specification has beside them, which does nothing. */
function OrderActs(props: OrderProps) {
  const { song, nth, playlist } = props;
  const one = { song: song.id, nth };
  const { songs: acts } = useActs();
  const why = whyNotOrdered(props);
  const canMove = (by: 1 | -1): boolean => why === undefined && acts.canMove(playlist, one, by);
  return (
    <>
      <Act title="Does nothing: Order up and Order down change the order">Change order</Act>
      <Act
        icon={<IconArrowUp {...ICON} />}
        title={why}
        disabled={!canMove(-1)}
        onClick={() => acts.move(playlist, one, -1)}
      >
        Order up
      </Act>
      <Act
        icon={<IconArrowDown {...ICON} />}
        title={why}
        disabled={!canMove(1)}
        onClick={() => acts.move(playlist, one, 1)}
      >
        Order down
      </Act>
    </>
  );
}

interface SongActionsProps extends OrderProps {
  readonly measureKey: string;
  readonly isPlaying: boolean;
  readonly onPlay: () => void;
}

/** What can be done with a song (specification 2, section 2.7). */
export function SongActions({ song, nth, playlist, measureKey, canOrder, isPlaying, onPlay }: SongActionsProps) {
  const acts = useActs();
  const measured = useMeasured(measureKey);
  const { id, title, starred, isMissing } = song;
  return (
    <div ref={measured} className={styles['actions']} role="group" aria-label={`Options of ${title}`}>
      <Act icon={<IconDownload {...ICON} />} disabled={isMissing} onClick={() => void keepFile(title, { songs: [id] })}>
        Download
      </Act>
      <Act
        icon={isPlaying ? <IconPlayerPause {...ICON} /> : <IconPlayerPlay {...ICON} />}
        disabled={isMissing}
        onClick={onPlay}
      >
        {isPlaying ? 'Pause' : 'Play'}
      </Act>
      <OrderActs song={song} nth={nth} playlist={playlist} canOrder={canOrder} />
      {playlist.id === ALL_SONGS ? (
        <ConfirmButton size="xs" confirmLabel="Confirm Delete" onConfirm={() => acts.songs.deleteSong(id)}>
          Delete
        </ConfirmButton>
      ) : (
        <ConfirmButton
          size="xs"
          confirmLabel="Confirm To remove"
          onConfirm={() => acts.songs.remove(playlist, { song: id, nth })}
        >
          Remove
        </ConfirmButton>
      )}
      <Act icon={<IconPencil {...ICON} />} onClick={() => acts.open({ name: 'renameSong', song: id })}>
        Rename
      </Act>
      <Act icon={<IconPlaylistAdd {...ICON} />} title="M" onClick={() => acts.open({ name: 'addSongTo', song: id })}>
        Add to playlist…
      </Act>
      <Act
        icon={starred ? <IconStarFilled size={15} /> : <IconStar {...ICON} />}
        onClick={() => acts.songs.star(id, !starred)}
      >
        {starred ? 'Unstar' : 'Star'}
      </Act>
      <Act
        icon={<IconPlayerTrackNext {...ICON} />}
        disabled={isMissing}
        onClick={() => acts.putIn(song, playlist, 'next')}
      >
        Play next
      </Act>
      <Act icon={<IconPlaylist {...ICON} />} disabled={isMissing} onClick={() => acts.putIn(song, playlist, 'last')}>
        Add to queue
      </Act>
      <input type="checkbox" className={styles['box']} aria-label={`Select ${title}`} title="Does nothing" />
    </div>
  );
}
