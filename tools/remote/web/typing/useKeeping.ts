import { useDraft } from '#platform/web/app/drafts.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';

const MODE = 'dashboard.keep';
// A choice not to keep messages applies to all tabs.
browserStorage.followOtherTabs(MODE);

/**
 * Whether the next message is stored in the history: as set for this browser, unless the user chose otherwise for one
 * message.
 */
export function useKeeping() {
  const [mode, setMode] = useBrowserStorage(MODE);
  // Stored with the draft it applies to: both survive a change of the page and a login.
  const [nextMessageChoice, setOnce] = useDraft('remote.once', { isSecret: true });
  const isAlways = mode !== 'off';
  const keep = nextMessageChoice === '' ? isAlways : nextMessageChoice === 'keep';
  return {
    keep,
    /** Toggles for the next message only. */
    toggle: (): void => setOnce(keep ? 'not' : 'keep'),
    /** Call this when the message is done, as the choice applied to it alone. */
    reset: (): void => setOnce(''),
    /** The setting for all messages sent from this browser. */
    isAlways,
    setAlways: (always: boolean): void => {
      setOnce('');
      setMode(always ? 'on' : 'off');
    },
  };
}

export type RetentionControls = ReturnType<typeof useKeeping>;
