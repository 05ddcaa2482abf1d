import { IconEye, IconEyeOff } from '@tabler/icons-react';
import type { RetentionControls } from './useComposer.ts';
import styles from './KeepToggle.module.css';

/** Toggles whether the next message is left out of the history. */
export function KeepToggle({ retention }: { readonly retention: RetentionControls }) {
  const { keep, toggle } = retention;
  const Icon = keep ? IconEye : IconEyeOff;
  return (
    <button
      type="button"
      className={styles['toggle']}
      aria-pressed={!keep}
      aria-label="Don't store in history"
      title={keep ? "Don't store the next message in the history" : 'This message will not be stored in the history'}
      // Keeps the focus in the text field, so that a phone's soft keyboard does not open or close.
      onPointerDown={(event) => event.preventDefault()}
      onClick={toggle}
    >
      <Icon size={20} stroke={1.75} />
      {keep ? null : <span>Not in history</span>}
    </button>
  );
}
