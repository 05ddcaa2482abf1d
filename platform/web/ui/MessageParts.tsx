import { IconSend, IconCommand, IconFileCode, IconLetterT } from '@tabler/icons-react';
import { countCodePoints } from '#platform/contract/fields.ts';
import type { InputType } from '#platform/contract/message.ts';
import type { Icon } from '../tool.ts';
import styles from './MessageParts.module.css';
import textCountStyles from './TextCount.module.css';

interface CharacterCountProps {
  /** What the field names in its `aria-describedby`. */
  readonly id: string;
  readonly text: string;
  /** In Unicode code points. */
  readonly limit: number;
}

/** How long a text is, of how long it may be: at the right in the last line of its field, 44 px high. */
export function CharacterCount({ id, text, limit }: CharacterCountProps) {
  const length = countCodePoints(text);
  return (
    <span
      id={id}
      className={`${textCountStyles['count']} num`}
      data-over={length > limit || undefined}
      data-empty={length === 0 || undefined}
    >
      {length} / {limit}
    </span>
  );
}

interface MessageKind {
  readonly word: string;
  /** In `data-kind`: the style's colours go by it. */
  readonly kind: 'text' | 'shortcut' | 'file';
  readonly icon: Icon;
}

/** How lists of messages tell the types apart. */
export const messageKinds: Readonly<Record<InputType, MessageKind>> = {
  1: { word: 'Text', kind: 'text', icon: IconLetterT },
  2: { word: 'Shortcut', kind: 'shortcut', icon: IconCommand },
  3: { word: 'File', kind: 'file', icon: IconFileCode },
};

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
