import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Form } from '#platform/web/ui/Form.tsx';
import { MAX_TITLE_LENGTH, MAX_LINK_TEXT_LENGTH } from '#tools/music/contract/limits.ts';
import { joinPastedLines } from '#tools/music/downloads/web/queueLinks.ts';
import { toOneLine, findTitleProblem } from '../../domain/song.ts';
import styles from './Overlays.module.css';

interface LinkFormProps {
  readonly label: string;
  readonly button: string;
  /** Explains what happens next. */
  readonly hint: string;
  readonly onTyped: (isTyped: boolean) => void;
  readonly onDone: (url: string) => void;
}

/** A form for one or more links, which can't be blank. The downloads panel shows whether they lead to songs. */
export function LinkForm({ label, button, hint, onTyped, onDone }: LinkFormProps) {
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string>();
  return (
    <Form
      className={styles['form']}
      noValidate
      onSubmit={() => {
        if (typed.trim() === '') setProblem('Enter a link');
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
        maxLength={MAX_LINK_TEXT_LENGTH}
        data-autofocus
        onPaste={(event) => setTyped(joinPastedLines(event) ?? typed)}
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
    </Form>
  );
}

interface NameFormProps {
  readonly label: string;
  /** Initial title. */
  readonly title: string;
  readonly kind: 'playlist' | 'song';
  readonly button: string;
  /** Called when unsaved input appears or disappears. */
  readonly onTyped: (isTyped: boolean) => void;
  /** Called with the values; closes the overlay. Its errors are shown below the field. */
  readonly onDone: (title: string, extraFields: FieldValues) => Promise<void>;
  /** More fields, which can be blank. */
  readonly extraFields?: FieldValues;
}

/** Values of fields by label. */
type FieldValues = Readonly<Record<string, string>>;
const NO_FIELDS: FieldValues = {};

/** A form for a title, which can't be blank (docs/specification/music.md section 4). */
export function NameForm({ label, title, kind, button, onTyped, onDone, extraFields = NO_FIELDS }: NameFormProps) {
  const [typed, setTyped] = useState(title);
  const [extraValues, setExtraValues] = useState(extraFields);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  async function submit(): Promise<void> {
    const name = toOneLine(typed);
    const titleProblem = findTitleProblem(name, kind, MAX_TITLE_LENGTH);
    setProblem(titleProblem);
    if (titleProblem !== undefined || isBusy) return;
    setIsBusy(true);
    try {
      await onDone(
        name,
        Object.fromEntries(Object.entries(extraValues).map(([each, text]) => [each, toOneLine(text)])),
      );
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setIsBusy(false);
    }
  }
  const reportUnsaved = (name: string, values: FieldValues): void =>
    onTyped(name.trim() !== title || Object.entries(values).some(([each, text]) => text.trim() !== extraFields[each]));
  return (
    <Form className={styles['form']} noValidate onSubmit={() => void submit()}>
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
          reportUnsaved(event.currentTarget.value, extraValues);
        }}
      />
      {Object.keys(extraFields).map((each) => (
        <TextInput
          key={each}
          label={each}
          dir="auto"
          autoComplete="off"
          maxLength={MAX_TITLE_LENGTH}
          value={extraValues[each] ?? ''}
          onChange={(event) => {
            const next = { ...extraValues, [each]: event.currentTarget.value };
            setExtraValues(next);
            reportUnsaved(typed, next);
          }}
        />
      ))}
      <Button type="submit" variant="primary" loading={isBusy}>
        {button}
      </Button>
    </Form>
  );
}
