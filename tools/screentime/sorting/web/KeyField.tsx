import { IconAlertTriangle, IconX } from '@tabler/icons-react';
import { useId, useRef, useState } from 'react';
import { Refusal } from '#platform/contract/refusal.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import type { ACTIONS } from '../domain/category.ts';
import { normalHotkey } from '../domain/hotkeyNotation.ts';
import type { CategoryBoxes } from './categoryBoxes.ts';
import type { Saver } from './saver.ts';
import styles from './KeyField.module.css';

interface KeyFieldProps {
  readonly category: string;
  readonly action: (typeof ACTIONS)[number];
  /** As it is kept. */
  readonly value: string;
  /** Computers that could not take it, each with its sentence. */
  readonly refusals: CategoryBoxes['refused'];
  readonly saver: Saver;
}

const wordsOf = (error: unknown): string => {
  if (error instanceof Refusal) return error.message;
  throw error;
};

/** One key. What is typed stays until it is a key's name; Enter and leaving the field save it. */
export function KeyField({ category, action, value, refusals, saver }: KeyFieldProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState<string>();
  const [wrong, setWrong] = useState<string>();

  const set = (key: string): void => {
    setTyped(undefined);
    setWrong(undefined);
    if (key !== value) saver.edit({ kind: 'key', category, action, key });
  };
  const save = (): void => {
    if (typed === undefined) return;
    try {
      set(normalHotkey(typed));
    } catch (error) {
      setWrong(wordsOf(error));
      saver.reject();
    }
  };

  const troubles = wrong === undefined ? refusals.map(({ device, reason }) => `${device}: ${reason}`) : [wrong];
  return (
    <>
      <span className={styles['field']}>
        <input
          ref={field}
          aria-label={`${action} key of ${category}`}
          aria-invalid={wrong !== undefined || undefined}
          aria-describedby={troubles.length > 0 ? id : undefined}
          placeholder="none"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={typed ?? value}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setWrong(undefined);
          }}
          onBlur={save}
          onKeyDown={(event) => {
            if (event.key === 'Enter') save();
            if (event.key === 'Escape') {
              setTyped(undefined);
              setWrong(undefined);
            }
          }}
        />
        {(typed ?? value) === '' ? null : (
          <IconButton
            label={`Clear ${action} key of ${category}`}
            // The field would be left, and what is in it saved first.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => {
              set('');
              field.current?.focus();
            }}
          >
            <IconX size={16} stroke={1.75} />
          </IconButton>
        )}
      </span>
      {troubles.length > 0 ? (
        <span id={id} className={styles['troubles']} data-wrong={wrong !== undefined || undefined}>
          {troubles.map((trouble) => (
            <span key={trouble} role={wrong === undefined ? undefined : 'alert'}>
              <IconAlertTriangle size={13} stroke={1.75} />
              {trouble}
            </span>
          ))}
        </span>
      ) : null}
    </>
  );
}
