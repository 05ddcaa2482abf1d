import { IconKeyboard, IconX } from '@tabler/icons-react';
import { useState, type KeyboardEvent, type RefObject } from 'react';
import { KEYS_MARKER, MAX_MESSAGE_LENGTH } from '#platform/contract/message.ts';
import type { Computer } from '#platform/web/app/computers.ts';
import { Form } from '#platform/web/ui/Form.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { SendButton, CharacterCount } from '#platform/web/ui/MessageParts.tsx';
import { KeepToggle } from './KeepToggle.tsx';
import { PasswordHint } from './PasswordHint.tsx';
import { formatPressedShortcut, listKeyLabels } from './shortcuts.ts';
import { TextField } from './TextField.tsx';
import type { RetentionControls } from './useComposer.ts';
import styles from './Composer.module.css';

interface ComposerProps {
  readonly fieldRef: RefObject<HTMLInputElement | null>;
  readonly text: string;
  readonly onTextChange: (text: string) => void;
  readonly onSubmit: () => void;
  /** The last sent text, which ArrowUp restores in an empty field. */
  readonly lastText: string | undefined;
  readonly areKeysOpen: boolean;
  readonly onToggleKeys: () => void;
  readonly retention: RetentionControls;
  readonly device: Computer | undefined;
  /** A text that must not be stored is being sent; it stays in the field until it is done. */
  readonly isSending: boolean;
}

/** Returns whether a chord edits the text, as long as there is text to edit; pasting always does. */
function isEditing({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, text: string): boolean {
  if ((!ctrlKey && !metaKey) || altKey) return false;
  if (key.toLowerCase() === 'v') return true;
  const isPlainText = text !== '' && !text.includes(KEYS_MARKER);
  return isPlainText && /^([acxyz]|Arrow\w+|Backspace|Delete|Home|End)$/i.test(key);
}

/** The input row: toggle of the special buttons, text field, send button. */
export function Composer(props: ComposerProps) {
  const { fieldRef, text, onTextChange, onSubmit, lastText, areKeysOpen, onToggleKeys, retention, device, isSending } =
    props;
  const [offeredShortcut, setOfferedShortcut] = useState<string>();

  function handleKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    if (event.key === 'Enter' && (event.repeat || event.nativeEvent.isComposing)) event.preventDefault();
    else if (event.key === 'ArrowUp' && text === '' && lastText !== undefined) {
      event.preventDefault();
      onTextChange(lastText);
    } else if (areKeysOpen && !isEditing(event, text) && !(event.altKey && event.code === 'KeyK')) {
      const shortcut = formatPressedShortcut(event);
      if (shortcut === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      setOfferedShortcut(shortcut);
    }
  }
  function acceptOfferedShortcut(): void {
    if (offeredShortcut !== undefined) onTextChange(offeredShortcut);
    setOfferedShortcut(undefined);
    fieldRef.current?.focus();
  }

  return (
    <Form
      className={styles['row']}
      onSubmit={() => {
        setOfferedShortcut(undefined);
        onSubmit();
      }}
    >
      {offeredShortcut !== undefined && areKeysOpen ? (
        <div className={styles['offer']} role="status">
          <span>You pressed {listKeyLabels(offeredShortcut)?.join('-')}</span>
          <button type="button" onClick={acceptOfferedShortcut}>
            Use as shortcut
          </button>
          <IconButton label="Dismiss" size={28} onClick={() => setOfferedShortcut(undefined)}>
            <IconX size={15} stroke={1.75} />
          </IconButton>
        </div>
      ) : null}
      <PasswordHint device={device} retention={retention} />
      <button
        type="button"
        className={styles['toggle']}
        aria-pressed={areKeysOpen}
        title="Special buttons (Alt+K)"
        onPointerDown={(event) => event.preventDefault()}
        onClick={onToggleKeys}
      >
        <IconKeyboard size={20} stroke={1.75} />
        <span>Special buttons</span>
      </button>
      <span className={styles['field']}>
        <TextField
          ref={fieldRef}
          className={styles['input']}
          data-marked={text.startsWith('[[') || undefined}
          aria-describedby="composer-count"
          text={text}
          onTextChange={onTextChange}
          onKeyDown={handleKeyDown}
          readOnly={isSending}
        />
        <CharacterCount id="composer-count" text={text} limit={MAX_MESSAGE_LENGTH} />
      </span>
      <KeepToggle retention={retention} />
      <SendButton text={text} />
    </Form>
  );
}
