import { IconKeyboard, IconX } from '@tabler/icons-react';
import { useState, type KeyboardEvent, type RefObject } from 'react';
import { KEYS_MARKER, MAX_MESSAGE_LENGTH } from '#platform/contract/message.ts';
import type { Computer } from '#platform/web/app/computers.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { SendButton, CharacterCount } from '#platform/web/ui/MessageParts.tsx';
import { KeepToggle } from './KeepToggle.tsx';
import { PasswordHint } from './PasswordHint.tsx';
import { chordPressed, formatKeys } from './shortcuts.ts';
import { TextField } from './TextField.tsx';
import type { RetentionControls } from './useComposer.ts';
import styles from './Composer.module.css';

interface ComposerProps {
  readonly field: RefObject<HTMLInputElement | null>;
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly submit: () => void;
  /** The last sent text, which ArrowUp restores in an empty field. */
  readonly last: string | undefined;
  readonly keysOpen: boolean;
  readonly toggleKeys: () => void;
  readonly keeping: RetentionControls;
  readonly device: Computer | undefined;
  /** A text that is not kept is being sent; it stays in the field until it is done. */
  readonly isSending: boolean;
}

/** Chords that edit the text keep doing so while there is text to edit; pasting always pastes. */
const isEditing = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, text: string): boolean => {
  if ((!ctrlKey && !metaKey) || altKey) return false;
  if (key.toLowerCase() === 'v') return true;
  const isPlain = text !== '' && !text.includes(KEYS_MARKER);
  return isPlain && /^([acxyz]|Arrow\w+|Backspace|Delete|Home|End)$/i.test(key);
};

/** The input row: toggle of the special buttons, text field, send button. */
export function Composer(props: ComposerProps) {
  const { field, text, setText, submit, last, keysOpen, toggleKeys, keeping, device, isSending } = props;
  const [offered, setOffered] = useState<string>();

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
  const acceptOffered = (): void => {
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
          <span>You pressed {formatKeys(offered)?.join('-')}</span>
          <button type="button" onClick={acceptOffered}>
            Use as shortcut
          </button>
          <IconButton label="Dismiss" size={28} onClick={() => setOffered(undefined)}>
            <IconX size={15} stroke={1.75} />
          </IconButton>
        </div>
      ) : null}
      <PasswordHint device={device} keeping={keeping} />
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
        <TextField
          ref={field}
          className={styles['input']}
          data-marked={text.startsWith('[[') || undefined}
          aria-describedby="composer-count"
          text={text}
          setText={setText}
          onKeyDown={onKeyDown}
          readOnly={isSending}
        />
        <CharacterCount id="composer-count" text={text} limit={MAX_MESSAGE_LENGTH} />
      </span>
      <KeepToggle keeping={keeping} />
      <SendButton text={text} />
    </form>
  );
}
