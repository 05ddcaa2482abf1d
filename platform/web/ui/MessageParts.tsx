import { IconSend } from '@tabler/icons-react';
import styles from './MessageParts.module.css';

interface SendButtonProps {
  /** What stands in the field that it sends. */
  readonly text: string;
  readonly iconSize?: 18 | 20;
  /** The field keeps the focus, and a phone its keyboard. */
  readonly keepsFocus?: boolean;
}

/** Submits the form that it stands in: icon and word, on a phone the icon alone. */
export function SendButton({ text, iconSize = 18, keepsFocus = false }: SendButtonProps) {
  return (
    <button
      type="submit"
      className={styles['send']}
      data-icon={iconSize}
      aria-label="Send"
      onPointerDown={(event) => {
        if (keepsFocus) event.preventDefault();
      }}
      onClick={(event) => {
        // The second click of a double one meets an emptied field and is no wish of its own.
        if (event.detail > 1 && text === '') event.preventDefault();
      }}
    >
      <IconSend size={iconSize} stroke={1.75} />
      <span aria-hidden>Send</span>
    </button>
  );
}
