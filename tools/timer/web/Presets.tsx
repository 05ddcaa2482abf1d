import { SECOND_MS } from '#platform/contract/duration.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import type { Milliseconds } from '../domain/countdown.ts';
import { toPresets, parseRecentLengths, addRecentLength } from '../domain/savedTimers.ts';
import { shortText } from '../domain/timeDisplay.ts';
import styles from './Presets.module.css';

const KEY = 'timer.recent';

/** Lengths that were used last in this browser. */
export const recentLengths = {
  add: (length: Milliseconds): void => browserStorage.set(KEY, addRecentLength(browserStorage.get(KEY), length)),
};

interface PresetsProps {
  /** Current length of a round. */
  readonly loop: Milliseconds;
  readonly onPick: (length: Milliseconds) => void;
}

/** Buttons for lengths: some defaults and those used last. */
export function Presets({ loop, onPick }: PresetsProps) {
  const [recent] = useBrowserStorage(KEY);
  return (
    <div className={styles['presets']} role="group" aria-label="Lengths">
      {toPresets(parseRecentLengths(recent)).map((length) => (
        <button
          key={length}
          type="button"
          aria-label={`Set to ${shortText(length / SECOND_MS)}`}
          aria-pressed={length === loop}
          onClick={() => onPick(length)}
        >
          {shortText(length / SECOND_MS)}
        </button>
      ))}
    </div>
  );
}
