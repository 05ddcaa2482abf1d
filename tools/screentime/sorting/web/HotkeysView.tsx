import { IconInfoCircle, IconAlertTriangle, IconX } from '@tabler/icons-react';
import { useId, useRef, useState } from 'react';
import { Refusal } from '#platform/contract/refusal.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { HOTKEY_ACTIONS } from '../domain/category.ts';
import type { Box } from '../domain/categoryBoard.ts';
import { normalizeHotkey } from '../domain/hotkeyNotation.ts';
import type { CategoryBoxes } from './categoryBoxes.ts';
import type { Saver } from './saver.ts';
import styles from './HotkeysView.module.css';

interface KeyFieldProps {
  readonly category: string;
  readonly action: (typeof HOTKEY_ACTIONS)[number];
  /** Stored hotkey. */
  readonly value: string;
  /** Computers that could not register it, each with a sentence. */
  readonly refusals: CategoryBoxes['refused'];
  readonly saver: Saver;
}

function getRefusalMessage(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  throw error;
}

/** Field for one hotkey. Invalid input stays; Enter and leaving the field save. */
export function KeyField({ category, action, value, refusals, saver }: KeyFieldProps) {
  const id = useId();
  const inputRef = useRef<HTMLInputElement>(null);
  const [draft, setDraft] = useState<string>();
  const [problem, setProblem] = useState<string>();

  function saveKey(key: string): void {
    setDraft(undefined);
    setProblem(undefined);
    if (key !== value) saver.edit({ kind: 'key', category, action, key });
  }
  function save(): void {
    if (draft === undefined) return;
    try {
      saveKey(normalizeHotkey(draft));
    } catch (error) {
      setProblem(getRefusalMessage(error));
      saver.reject();
    }
  }

  const messages = problem === undefined ? refusals.map(({ device, reason }) => `${device}: ${reason}`) : [problem];
  return (
    <>
      <span className={styles['field']}>
        <input
          ref={inputRef}
          aria-label={`${action} key for ${category}`}
          aria-invalid={problem !== undefined || undefined}
          aria-describedby={messages.length > 0 ? id : undefined}
          placeholder="none"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={draft ?? value}
          onChange={(event) => {
            setDraft(event.currentTarget.value);
            setProblem(undefined);
          }}
          onBlur={save}
          onKeyDown={(event) => {
            if (event.key === 'Enter') save();
            if (event.key === 'Escape') {
              setDraft(undefined);
              setProblem(undefined);
            }
          }}
        />
        {(draft ?? value) === '' ? null : (
          <IconButton
            label={`Clear the ${action} key for ${category}`}
            // Otherwise the field would lose the focus and save first.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => {
              saveKey('');
              inputRef.current?.focus();
            }}
          >
            <IconX size={16} stroke={1.75} />
          </IconButton>
        )}
      </span>
      {messages.length > 0 ? (
        <span id={id} className={styles['problems']} data-wrong={problem !== undefined || undefined}>
          {messages.map((message) => (
            <span key={message} role={problem === undefined ? undefined : 'alert'}>
              <IconAlertTriangle size={13} stroke={1.75} />
              {message}
            </span>
          ))}
        </span>
      ) : null}
    </>
  );
}

const X11_KEYS = 'https://gitlab.freedesktop.org/xorg/proto/xorgproto/-/blob/master/include/X11/keysymdef.h';
const OTHER_KEYS = 'https://developer.mozilla.org/en-US/docs/Web/API/UI_Events/Keyboard_event_key_values';

function Help() {
  return (
    <div className={styles['help']}>
      <IconInfoCircle size={18} stroke={1.75} />
      <p>
        Type a single letter, or the name of a key from the list for{' '}
        <a href={X11_KEYS} target="_blank" rel="noreferrer">
          Linux and X11
        </a>{' '}
        or{' '}
        <a href={OTHER_KEYS} target="_blank" rel="noreferrer">
          other systems
        </a>
        . Combine keys like Ctrl-Alt-U. Press Enter or leave the field to save. After saving, the computer needs about
        20 seconds and a press of an old key before it listens for the new keys
      </p>
    </div>
  );
}

interface HotkeysViewProps {
  readonly boxes: readonly Box[];
  /** Hotkeys that computers could not register. */
  readonly refused: CategoryBoxes['refused'];
  readonly saver: Saver;
}

/** Hotkeys of each category: up, down and mute change the volume of its applications that play sound. */
export function HotkeysView({ boxes, refused, saver }: HotkeysViewProps) {
  return (
    <div className={styles['page']}>
      <Help />
      <table className={styles['table']}>
        <thead>
          <tr>
            <th scope="col">Category</th>
            {HOTKEY_ACTIONS.map((action) => (
              <th key={action} scope="col">
                {action}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {boxes.map(({ name, keys }) => (
            <tr key={name}>
              <th scope="row" dir="auto">
                {name}
              </th>
              {HOTKEY_ACTIONS.map((action) => (
                <td key={action} data-action={action}>
                  <KeyField
                    category={name}
                    action={action}
                    value={keys[action]}
                    refusals={refused.filter((refusal) => refusal.category === name && refusal.action === action)}
                    saver={saver}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
