import { SECOND_MS } from '#platform/contract/duration.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import type { Milliseconds } from '../domain/countdown.ts';
import { toPresets, parseRecentLengths, addRecentLength } from '../domain/savedTimers.ts';
import { formatShortLength } from '../domain/timeDisplay.ts';
import styles from './Presets.module.css';

const RECENT_LENGTHS_KEY = 'timer.recent';

/** Lengths that were used last in this browser. */
export const recentLengths = {
  add: (length: Milliseconds): void =>
    browserStorage.set(RECENT_LENGTHS_KEY, addRecentLength(browserStorage.get(RECENT_LENGTHS_KEY), length)),
};

interface PresetsProps {
  /** Current length of a round. */
  readonly loop: Milliseconds;
  readonly onSelect: (length: Milliseconds) => void;
}

/** Buttons for lengths: some defaults and those used last. */
export function Presets({ loop, onSelect }: PresetsProps) {
  const [recent] = useBrowserStorage(RECENT_LENGTHS_KEY);
  return (
    <div className={styles['presets']} role="group" aria-label="Lengths">
      {toPresets(parseRecentLengths(recent)).map((length) => (
        <button
          key={length}
          type="button"
          aria-label={`Set to ${formatShortLength(length / SECOND_MS)}`}
          aria-pressed={length === loop}
          onClick={() => onSelect(length)}
        >
          {formatShortLength(length / SECOND_MS)}
        </button>
      ))}
    </div>
  );
}
