import { Button } from '@mantine/core';
import { useState } from 'react';
import { useIsNarrow } from '#platform/web/browser/useIsNarrow.ts';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { Switch } from '#platform/web/ui/Switch.tsx';
import { formatSongCount } from '../../web/texts.ts';
import {
  Cover,
  NextButton,
  PlayButton,
  PreviousButton,
  RepeatButton,
  ShuffleButton,
  Seek,
  Volume,
  SongInfo,
} from './PlayerControls.tsx';
import { QueueList } from './QueueList.tsx';
import { sound, useSound } from './sound.ts';
import styles from './PlayerDialog.module.css';

/** Controls that don't fit into the bar of narrow windows. */
function NarrowControls() {
  const state = useSound();
  const { song, activity } = state;
  if (!song) return null;
  return (
    <div className={styles['desk']}>
      <div className={styles['head']}>
        <Cover song={song} size={72} />
        <SongInfo {...state} song={song} />
      </div>
      <Seek />
      <div className={styles['buttons']}>
        <ShuffleButton />
        <PreviousButton />
        <PlayButton activity={activity} />
        <NextButton />
        <RepeatButton />
      </div>
      <Volume />
    </div>
  );
}

/** The queue and rarely used settings; in narrow windows the whole player. */
export function PlayerDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const { queue, isEven } = useSound();
  const isNarrow = useIsNarrow();
  const [isOrdering, setIsOrdering] = useState(false);
  const remainingCount = queue.order.length - queue.at - 1;
  return (
    <Dialog
      title={isNarrow ? 'Player' : 'Queue'}
      isOpen={isOpen && queue.order.length > 0}
      onClose={onClose}
      width={480}
      lockScroll={false}
    >
      {isNarrow && <NarrowControls />}
      <div className={styles['left']}>
        <p>{remainingCount === 0 ? 'No songs left' : `${formatSongCount(remainingCount)} left`}</p>
        <Button size="xs" onClick={() => setIsOrdering(!isOrdering)}>
          {isOrdering ? 'Done' : 'Change order'}
        </Button>
      </div>
      <QueueList isOrdering={isOrdering} />
      <div className={styles['foot']}>
        <Switch label="Volume levelling" isOn={isEven} onChange={sound.setEven} />
        <Button
          onClick={() => {
            onClose();
            sound.close();
          }}
        >
          Stop and clear
        </Button>
      </div>
    </Dialog>
  );
}
