import { useDraft } from '#platform/web/app/drafts.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';

const MODE = 'dashboard.keep';
// Whoever asks that nothing is kept means every tab.
browserStorage.followOtherTabs(MODE);

/** Whether what is sent next is stored in the history: as this browser remembers, unless the person chose otherwise for one message. */
export function useKeeping() {
  const [mode, setMode] = useBrowserStorage(MODE);
  // Stays with the text that it is about: both are still there after another page or a login.
  const [once, setOnce] = useDraft('remote.once', { isSecret: true });
  const isAlways = mode !== 'off';
  const keep = once === '' ? isAlways : once === 'keep';
  return {
    keep,
    /** For the next message alone. */
    toggle: (): void => setOnce(keep ? 'not' : 'keep'),
    /** The message is done: the choice was for it alone. */
    reset: (): void => setOnce(''),
    /** What holds for every message sent from this browser. */
    isAlways,
    setAlways: (always: boolean): void => {
      setOnce('');
      setMode(always ? 'on' : 'off');
    },
  };
}

export type RetentionControls = ReturnType<typeof useKeeping>;
