import { createElement } from 'react';
import { bottomBar } from '#platform/web/app/frame.ts';
import { session } from '#platform/web/app/session.ts';
import { onOtherAccount } from '../../web/useLibrary.ts';
import { PlayerBar } from './PlayerBar.tsx';
import { queueStorage } from './queueStorage.ts';
import { type Sound, sound } from './sound.ts';

const close = (): void => {
  sound.close();
  queueStorage.forget();
};

/**
 * Stops playback after a logout or when another account logs in. It continues if the session expired: the login form is
 * on the page.
 */
const followSession = (): void => {
  onOtherAccount(close);
  session.subscribe(() => {
    if (!session.getCurrent() && session.hasLoggedOut()) close();
  });
};

const drawn = createElement(PlayerBar);
const showBar = (): void => bottomBar.show(sound.state().song ? drawn : null);

/** Starts the player. Its bar appears and disappears with the queue. */
export function start(): Sound {
  sound.subscribe(showBar);
  followSession();
  window.addEventListener('pagehide', () => {
    if (sound.state().song) sound.keep();
  });
  sound.look();
  return sound;
}
