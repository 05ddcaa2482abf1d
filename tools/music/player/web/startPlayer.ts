import { createElement } from 'react';
import { bottomBar } from '#platform/web/app/frame.ts';
import { session } from '#platform/web/app/session.ts';
import { onOtherAccount } from '../../web/useLibrary.ts';
import { PlayerBar } from './PlayerBar.tsx';
import { queueStorage } from './queueStorage.ts';
import { type Sound, sound } from './sound.ts';

function close(): void {
  sound.close();
  queueStorage.clear();
}

/**
 * Stops playback after a logout or when another account logs in. It continues if the session has expired, because the
 * login form is on the same page.
 */
function followSession(): void {
  onOtherAccount(close);
  session.subscribe(() => {
    if (!session.getCurrent() && session.hasLoggedOut()) close();
  });
}

const bar = createElement(PlayerBar);
const showBar = (): void => bottomBar.show(sound.getState().song ? bar : null);

/** Starts the player. Its bar appears and disappears with the queue. */
export function startPlayer(): Sound {
  sound.subscribe(showBar);
  followSession();
  window.addEventListener('pagehide', () => {
    if (sound.getState().song) sound.saveQueue();
  });
  sound.updateFromLibrary();
  return sound;
}
