import { useEffect, useRef, type KeyboardEvent } from 'react';
import { MAX_MESSAGE_LENGTH, TEXT_PLACEHOLDER } from '#platform/contract/message.ts';
import { SendButton } from '#platform/web/ui/MessageParts.tsx';
import { CharacterCount } from '#platform/web/ui/TextCount.tsx';
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
        <CharacterCount id="message-count" text={text} limit={MAX_MESSAGE_LENGTH} />
      </span>
      <SendButton text={text} iconSize={20} keepsFocus />
    </form>
  );
}
