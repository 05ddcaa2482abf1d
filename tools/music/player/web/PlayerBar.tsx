import { IconPlaylist } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { useCommands } from '#platform/web/app/commands.ts';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { useIsNarrow } from '#platform/web/browser/useIsNarrow.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import {
  Cover,
  NextButton,
  PlayButton,
  PreviousButton,
  RepeatButton,
  ShuffleButton,
  Progress,
  Seek,
  Volume,
  SongInfo,
} from './PlayerControls.tsx';
import { sound, useSound } from './sound.ts';
import styles from './PlayerBar.module.css';

const PlayerDialog = lazyPart(async () => (await import('./PlayerDialog.tsx')).PlayerDialog);

const usePlayerCommands = (): void =>
  useCommands([
    { id: 'player.toggle', name: 'Play or pause the music', group: 'Everywhere', run: sound.toggle },
    { id: 'player.next', name: 'Next song', group: 'Everywhere', run: sound.next },
    { id: 'player.previous', name: 'Previous song', group: 'Everywhere', run: sound.previous },
    {
      id: 'player.mute',
      name: 'Mute or unmute the music',
      group: 'Everywhere',
      run: () => sound.setMuted(!sound.getState().isMuted),
    },
    { id: 'player.close', name: 'Stop the music', group: 'Everywhere', run: sound.close },
  ]);

/**
 * The player below every page, while there is something to play. Announces new songs and problems to screen readers.
 */
export function PlayerBar() {
  const state = useSound();
  const isNarrow = useIsNarrow();
  const [isOpen, setIsOpen] = useState(false);
  const [hasOpened, setHasOpened] = useState(false);
  usePlayerCommands();
  const { song, activity } = state;
  if (!song) return null;
  function open(): void {
    setHasOpened(true);
    setIsOpen(true);
  }
  return (
    <>
      <p className="unseen" role="status">
        {state.problem || [song.title, song.artist].filter(Boolean).join(', ')}
      </p>
      <section className={styles['bar']} aria-label="Player">
        {isNarrow ? (
          <>
            <Progress />
            <button type="button" className={styles['opener']} aria-haspopup="dialog" onClick={open}>
              <Cover song={song} size={40} />
              <SongInfo {...state} song={song} />
            </button>
            <PlayButton activity={activity} />
            <NextButton />
          </>
        ) : (
          <>
            <PreviousButton />
            <PlayButton activity={activity} />
            <NextButton />
            <Cover song={song} size={42} />
            <SongInfo {...state} song={song} />
            <Seek />
            <ShuffleButton />
            <RepeatButton />
            <IconButton label="Queue" aria-haspopup="dialog" onClick={open}>
              <IconPlaylist size={20} stroke={1.75} />
            </IconButton>
            <Volume />
          </>
        )}
        {hasOpened && (
          <Suspense>
            <PlayerDialog isOpen={isOpen} onClose={() => setIsOpen(false)} />
          </Suspense>
        )}
      </section>
    </>
  );
}
