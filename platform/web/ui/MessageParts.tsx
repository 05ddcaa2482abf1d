import { IconSend, IconCommand, IconFileCode, IconLetterT } from '@tabler/icons-react';
import { countCodePoints } from '#platform/contract/fields.ts';
import type { InputType } from '#platform/contract/message.ts';
import type { Icon } from '../tool.ts';
import styles from './MessageParts.module.css';

interface NamedIconProps {
  readonly icon: Icon;
  /** Tooltip and text for screen readers. */
  readonly name: string;
  readonly className: string | undefined;
}

/** A small icon that replaces a word. */
export function NamedIcon({ icon: Icon, name, className }: NamedIconProps) {
  return (
    <span className={className} title={name}>
      <Icon size={15} stroke={1.75} />
      <span className="unseen">{name}</span>
    </span>
  );
}

interface CharacterCountProps {
  /** Referenced by `aria-describedby` of the field. */
  readonly id: string;
  readonly text: string;
  /** Max length in Unicode code points. */
  readonly limit: number;
}

/** Length and limit of a text, at the right of the last line of its field; 44 px high. */
export function CharacterCount({ id, text, limit }: CharacterCountProps) {
  const length = countCodePoints(text);
  return (
    <span
      id={id}
      className={`${styles['count']} num`}
      data-over={length > limit || undefined}
      data-empty={length === 0 || undefined}
    >
      {length} / {limit}
    </span>
  );
}

interface MessageKind {
  readonly label: string;
  /** Value of `data-kind`, which selects the colours. */
  readonly kind: 'text' | 'shortcut' | 'file';
  readonly icon: Icon;
}

/** Labels of the message types in lists. */
export const messageKinds: Readonly<Record<InputType, MessageKind>> = {
  1: { label: 'Text', kind: 'text', icon: IconLetterT },
  2: { label: 'Shortcut', kind: 'shortcut', icon: IconCommand },
  3: { label: 'File', kind: 'file', icon: IconFileCode },
};

interface SendButtonProps {
  /** Text of the field that it sends. */
  readonly text: string;
  readonly iconSize?: 18 | 20;
  /** Leaves the focus in the field, so that the keyboard of a phone stays open. */
  readonly keepsFocus?: boolean;
}

/** Submits the surrounding form. On phones it shows only the icon. */
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
        // The second click of a double click meets an empty field and must not submit again.
        if (event.detail > 1 && text === '') event.preventDefault();
      }}
    >
      <IconSend size={iconSize} stroke={1.75} />
      <span aria-hidden>Send</span>
    </button>
  );
}
