import { useEffect, useRef, type KeyboardEvent } from 'react';
import { MAX_MESSAGE_LENGTH, TEXT_PLACEHOLDER } from '#platform/contract/message.ts';
import { migrateDrafts, useDraft as useAccountDraft } from '#platform/web/app/drafts.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';
import { SendButton, CharacterCount } from '#platform/web/ui/MessageParts.tsx';
import styles from './Composer.module.css';

const FORMER = 'messages.drafts';
const keyOf = (target: string): string => `messages ${target}`;

/** Texts by target, of one object. */
const formerTexts = (kept: string | undefined): readonly (readonly [target: string, text: string])[] => {
  try {
    const texts: unknown = JSON.parse(kept ?? '{}');
    return Object.entries(texts ?? {}).flatMap(([target, text]: [string, unknown]) =>
      typeof text === 'string' && text !== '' ? [[target, text] as const] : [],
    );
  } catch {
    return []; // Written by nobody of ours.
  }
};

migrateDrafts(() => {
  const kept = browserStorage.get(FORMER);
  if (kept !== undefined) browserStorage.removeByPrefix(FORMER);
  return Object.fromEntries(formerTexts(kept).map(([target, text]) => [keyOf(target), text]));
});

/** The text field of a conversation, or of none ('' as the target): it is there again after a reload. */
export function useDraft(target: string) {
  return useAccountDraft(keyOf(target), { isPersistent: true });
}

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
