import { IconSend } from '@tabler/icons-react';
import { useEffect, useRef, type KeyboardEvent } from 'react';
import { lengthOf } from '#platform/contract/fields.ts';
import { MESSAGE_LIMIT, TEXT_PLACEHOLDER } from '#platform/contract/message.ts';
import styles from './Composer.module.css';

interface ComposerProps {
  /** Whom it is for; undefined where nobody is chosen. */
  readonly name: string | undefined;
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly submit: () => void;
}

const isSend = (event: KeyboardEvent): boolean => event.key === 'Enter' && !event.shiftKey;

/** The input row: Enter sends, Shift+Enter makes a line. */
export function Composer({ name, text, setText, submit }: ComposerProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const length = lengthOf(text);
  // With a keyboard before it one writes at once; on a phone the soft keyboard would cover the conversation.
  useEffect(() => {
    if (name !== undefined && matchMedia('(pointer: fine)').matches) field.current?.focus({ preventScroll: true });
  }, [name]);
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (!isSend(event) || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!event.repeat) submit();
  };
  return (
    <form
      className={styles['row']}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
        field.current?.focus();
      }}
    >
      <span className={styles['field']} data-text={text}>
        <textarea
          ref={field}
          className={styles['input']}
          rows={1}
          aria-label={name === undefined ? 'Message' : `Message to ${name}`}
          aria-describedby="message-count"
          placeholder={TEXT_PLACEHOLDER}
          value={text}
          autoComplete="off"
          enterKeyHint="send"
          dir="auto"
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <span
          id="message-count"
          className={`${styles['count']} num`}
          data-over={length > MESSAGE_LIMIT || undefined}
          data-empty={length === 0 || undefined}
        >
          {length} / {MESSAGE_LIMIT}
        </span>
      </span>
      <button
        type="submit"
        className={styles['send']}
        aria-label="Send"
        // The field keeps the focus, and a phone its keyboard.
        onPointerDown={(event) => event.preventDefault()}
        onClick={(event) => {
          // The second click of a double one meets an emptied field and is no wish of its own.
          if (event.detail > 1 && text === '') event.preventDefault();
        }}
      >
        <IconSend size={20} stroke={1.75} />
        <span aria-hidden>Send</span>
      </button>
    </form>
  );
}
