import { IconKeyboard, IconSend, IconX } from '@tabler/icons-react';
import { useState, type KeyboardEvent, type RefObject } from 'react';
import { lengthOf } from '#platform/contract/fields.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { KEYS_MARKER, MESSAGE_LIMIT, TEXT_PLACEHOLDER } from '../contract.ts';
import { chordPressed, writtenKeys } from './shortcut.ts';
import styles from './Composer.module.css';

interface ComposerProps {
  readonly field: RefObject<HTMLInputElement | null>;
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly submit: () => void;
  /** What was sent last, which Up brings back into an empty field. */
  readonly last: string | undefined;
  readonly keysOpen: boolean;
  readonly toggleKeys: () => void;
}

/** Chords that edit what is written: they do so as long as there is something to edit; pasting always pastes. */
const isEditing = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, text: string): boolean => {
  if ((!ctrlKey && !metaKey) || altKey) return false;
  if (key.toLowerCase() === 'v') return true;
  const isPlain = text !== '' && !text.includes(KEYS_MARKER);
  return isPlain && /^([acxyz]|Arrow\w+|Backspace|Delete|Home|End)$/i.test(key);
};

/** The input row: toggle of the special buttons, text field, send. */
export function Composer({ field, text, setText, submit, last, keysOpen, toggleKeys }: ComposerProps) {
  const [offered, setOffered] = useState<string>();
  const length = lengthOf(text);

  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key === 'Enter' && (event.repeat || event.nativeEvent.isComposing)) event.preventDefault();
    else if (event.key === 'ArrowUp' && text === '' && last !== undefined) {
      event.preventDefault();
      setText(last);
    } else if (keysOpen && !isEditing(event, text) && !(event.altKey && event.code === 'KeyK')) {
      const chord = chordPressed(event);
      if (chord === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      setOffered(chord);
    }
  };
  const take = (): void => {
    if (offered !== undefined) setText(offered);
    setOffered(undefined);
    field.current?.focus();
  };

  return (
    <form
      className={styles['row']}
      onSubmit={(event) => {
        event.preventDefault();
        setOffered(undefined);
        submit();
      }}
    >
      {offered !== undefined && keysOpen ? (
        <div className={styles['offer']} role="status">
          <span>You pressed {writtenKeys(offered)?.join('-')} here.</span>
          <button type="button" onClick={take}>
            Use as shortcut
          </button>
          <IconButton label="Dismiss" size={28} onClick={() => setOffered(undefined)}>
            <IconX size={15} stroke={1.75} />
          </IconButton>
        </div>
      ) : null}
      <button
        type="button"
        className={styles['toggle']}
        aria-pressed={keysOpen}
        title="Special buttons (Alt+K)"
        onPointerDown={(event) => event.preventDefault()}
        onClick={toggleKeys}
      >
        <IconKeyboard size={20} stroke={1.75} />
        <span>Special buttons</span>
      </button>
      <span className={styles['field']}>
        <input
          ref={field}
          className={styles['input']}
          data-marked={text.startsWith('[[') || undefined}
          aria-label="Text to send"
          aria-describedby="composer-count"
          placeholder={TEXT_PLACEHOLDER}
          value={text}
          autoComplete="off"
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          enterKeyHint="send"
          dir="auto"
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <span
          id="composer-count"
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
        onClick={(event) => {
          // The second click of a double one meets an emptied field and is no wish of its own.
          if (event.detail > 1 && text === '') event.preventDefault();
        }}
      >
        <IconSend size={18} stroke={1.75} />
        <span aria-hidden>Send</span>
      </button>
    </form>
  );
}
