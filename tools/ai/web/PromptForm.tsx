import { Button } from '@mantine/core';
import { IconPlayerStop, IconTerminal2 } from '@tabler/icons-react';
import { useLayoutEffect, type KeyboardEvent, type RefObject } from 'react';
import { countCodePoints } from '#platform/contract/fields.ts';
import { PROMPT_LIMIT } from '../contract.ts';
import styles from './PromptForm.module.css';

interface PromptFormProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly prompt: string;
  readonly setPrompt: (prompt: string) => void;
  readonly submit: () => void;
  readonly busy: boolean;
  /** What the server said to a prompt that it did not take. */
  readonly why: string | undefined;
  /** Undefined while nothing runs. */
  readonly stop: (() => void) | undefined;
  readonly toConsole: () => void;
}

/** Shown once the limit is near. */
const COUNTED_FROM = PROMPT_LIMIT - 1000;

function Count({ prompt }: { readonly prompt: string }) {
  const length = prompt.length < COUNTED_FROM ? 0 : countCodePoints(prompt);
  if (length < COUNTED_FROM) return null;
  return (
    <span className={`${styles['count']} num`} data-over={length > PROMPT_LIMIT || undefined}>
      {length} / {PROMPT_LIMIT}
    </span>
  );
}

const fit = (area: HTMLTextAreaElement): void => {
  area.style.height = 'auto';
  area.style.height = `${area.scrollHeight + 2}px`;
};

/** The prompt, and what can be done with it. Enter submits, Shift+Enter makes a line. */
export function PromptForm({ field, prompt, setPrompt, submit, busy, why, stop, toConsole }: PromptFormProps) {
  // As high as its text, up to what the style allows.
  useLayoutEffect(() => {
    if (field.current) fit(field.current);
  });

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!event.repeat) submit();
  };

  return (
    <form
      className={styles['form']}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className={styles['row']}>
        {why === undefined ? null : (
          <p id="prompt-why" className={styles['why']}>
            {why}
          </p>
        )}
        <textarea
          ref={field}
          className={styles['field']}
          rows={1}
          aria-label="prompt"
          aria-describedby={why === undefined ? undefined : 'prompt-why'}
          placeholder="prompt"
          enterKeyHint="send"
          dir="auto"
          value={prompt}
          onChange={(event) => setPrompt(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <Count prompt={prompt} />
        <Button
          size="lg"
          variant="subtle"
          className={styles['quiet'] ?? ''}
          title="Writes the text so far to the browser console"
          leftSection={<IconTerminal2 size={17} stroke={1.75} />}
          onClick={toConsole}
        >
          console
        </Button>
        {stop === undefined ? null : (
          <Button size="lg" leftSection={<IconPlayerStop size={17} stroke={1.75} />} onClick={stop}>
            stop
          </Button>
        )}
        <Button size="lg" variant="primary" type="submit" aria-disabled={busy} data-busy={busy || undefined}>
          submit
        </Button>
      </div>
    </form>
  );
}
