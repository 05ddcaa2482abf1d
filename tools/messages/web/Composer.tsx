import { useEffect, useRef, type KeyboardEvent } from 'react';
import { MAX_MESSAGE_LENGTH, TEXT_PLACEHOLDER } from '#platform/contract/message.ts';
import { migrateDrafts, useDraft as useAccountDraft } from '#platform/web/app/drafts.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';
import { Form } from '#platform/web/ui/Form.tsx';
import { SendButton, CharacterCount } from '#platform/web/ui/MessageParts.tsx';
import styles from './Composer.module.css';

const LEGACY_KEY = 'messages.drafts';
const getDraftKey = (target: string): string => `messages ${target}`;

/** Parses the drafts of an earlier version, which were one object of texts by target. */
function parseLegacyDrafts(stored: string | undefined): readonly (readonly [target: string, text: string])[] {
  try {
    const texts: unknown = JSON.parse(stored ?? '{}');
    return Object.entries(texts ?? {}).flatMap(([target, text]: [string, unknown]) =>
      typeof text === 'string' && text !== '' ? [[target, text] as const] : [],
    );
  } catch {
    return []; // not valid JSON
  }
}

migrateDrafts(() => {
  const stored = browserStorage.get(LEGACY_KEY);
  if (stored !== undefined) browserStorage.removeByPrefix(LEGACY_KEY);
  return Object.fromEntries(parseLegacyDrafts(stored).map(([target, text]) => [getDraftKey(target), text]));
});

/** The draft of a conversation; the target '' is for no conversation. It survives a reload. */
export function useDraft(target: string) {
  return useAccountDraft(getDraftKey(target), { isPersistent: true });
}

interface ComposerProps {
  /** Name of the receiver; undefined if none is selected. */
  readonly name: string | undefined;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onSubmit: () => void;
}

const isSendKey = (event: KeyboardEvent): boolean => event.key === 'Enter' && !event.shiftKey;

/** The input row: Enter sends, Shift+Enter starts a new line. */
export function Composer({ name, text, onChange, onSubmit }: ComposerProps) {
  const fieldRef = useRef<HTMLTextAreaElement>(null);
  // With a hardware keyboard the field gets the focus; on a phone the soft keyboard would cover the conversation.
  useEffect(() => {
    if (name !== undefined && matchMedia('(pointer: fine)').matches) fieldRef.current?.focus({ preventScroll: true });
  }, [name]);
  function handleKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (!isSendKey(event) || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!event.repeat) onSubmit();
  }
  return (
    <Form
      className={styles['row']}
      onSubmit={() => {
        onSubmit();
        fieldRef.current?.focus();
      }}
    >
      <span className={styles['field']} data-text={text}>
        <textarea
          ref={fieldRef}
          className={styles['input']}
          rows={1}
          aria-label={name === undefined ? 'Message' : `Message to ${name}`}
          aria-describedby="message-count"
          placeholder={TEXT_PLACEHOLDER}
          value={text}
          autoComplete="off"
          enterKeyHint="send"
          dir="auto"
          onChange={(event) => onChange(event.currentTarget.value)}
          onKeyDown={handleKeyDown}
        />
        <CharacterCount id="message-count" text={text} limit={MAX_MESSAGE_LENGTH} />
      </span>
      <SendButton text={text} iconSize={20} keepsFocus />
    </Form>
  );
}
