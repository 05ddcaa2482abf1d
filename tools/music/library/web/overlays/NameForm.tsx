import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { TITLE_LIMIT, LINK_TEXT_LIMIT } from '#tools/music/contract/limits.ts';
import { pastedLines } from '#tools/music/downloads/web/queueLinks.ts';
import { oneLine, titleProblem } from '../../domain/song.ts';
import styles from './Overlays.module.css';

interface LinkFormProps {
  readonly label: string;
  readonly button: string;
  /** What comes of it. */
  readonly hint: string;
  readonly onTyped: (isTyped: boolean) => void;
  readonly onDone: (url: string) => void;
}

/** One address or several, which may not be blank. Whether it leads to anything the downloads panel tells. */
export function LinkForm({ label, button, hint, onTyped, onDone }: LinkFormProps) {
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string>();
  return (
    <form
      className={styles['form']}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.trim() === '') setProblem('Give an address');
        else onDone(typed.trim());
      }}
    >
      <TextInput
        label={label}
        description={hint}
        error={problem}
        type="text"
        inputMode="url"
        placeholder="https://"
        autoComplete="off"
        spellCheck={false}
        maxLength={LINK_TEXT_LIMIT}
        data-autofocus
        onPaste={(event) => setTyped(pastedLines(event) ?? typed)}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setProblem(undefined);
          onTyped(event.currentTarget.value.trim() !== '');
        }}
      />
      <Button type="submit" variant="primary">
        {button}
      </Button>
    </form>
  );
}

interface NameFormProps {
  readonly label: string;
  /** What it stands with at the beginning. */
  readonly title: string;
  readonly of: 'playlist' | 'song';
  readonly button: string;
  /** Whether something was typed that is not done yet. */
  readonly onTyped: (isTyped: boolean) => void;
  /** Closes the overlay in the end; what it throws is shown under the field. */
  readonly onDone: (title: string, beside: Beside) => Promise<void>;
  /** Further fields, which may be blank. */
  readonly beside?: Beside;
}

/** What stands in fields, by their labels. */
type Beside = Readonly<Record<string, string>>;
const NOTHING: Beside = {};

/** One title, which may not be blank (specification 2, section 5). */
export function NameForm({ label, title, of, button, onTyped, onDone, beside = NOTHING }: NameFormProps) {
  const [typed, setTyped] = useState(title);
  const [others, setOthers] = useState(beside);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const submit = async (): Promise<void> => {
    const name = oneLine(typed);
    const wrong = titleProblem(name, of, TITLE_LIMIT);
    setProblem(wrong);
    if (wrong !== undefined || isBusy) return;
    setIsBusy(true);
    try {
      await onDone(name, Object.fromEntries(Object.entries(others).map(([each, text]) => [each, oneLine(text)])));
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setIsBusy(false);
    }
  };
  const tell = (name: string, now: Beside): void =>
    onTyped(name.trim() !== title || Object.entries(now).some(([each, text]) => text.trim() !== beside[each]));
  return (
    <form
      className={styles['form']}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <TextInput
        label={label}
        error={problem}
        dir="auto"
        autoComplete="off"
        data-autofocus
        value={typed}
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setProblem(undefined);
          tell(event.currentTarget.value, others);
        }}
      />
      {Object.keys(beside).map((each) => (
        <TextInput
          key={each}
          label={each}
          dir="auto"
          autoComplete="off"
          maxLength={TITLE_LIMIT}
          value={others[each] ?? ''}
          onChange={(event) => {
            const next = { ...others, [each]: event.currentTarget.value };
            setOthers(next);
            tell(typed, next);
          }}
        />
      ))}
      <Button type="submit" variant="primary" loading={isBusy}>
        {button}
      </Button>
    </form>
  );
}
