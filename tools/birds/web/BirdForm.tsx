import { Button, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useId, useRef, useState } from 'react';
import { Dropdown } from '#platform/web/ui/Dropdown.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import type { BoardEntry } from '../domain/board.ts';
import { NEW_OPTION, type NewEntryDraft, type useBoard } from './useBoard.ts';
import styles from './BirdsPage.module.css';

interface NewEntryFieldsProps {
  /** 'bird' or 'feeder'. */
  readonly kind: string;
  readonly value: NewEntryDraft;
  readonly onChange: (value: NewEntryDraft) => void;
  readonly onAdd: () => void;
}

/** Fields for the name and colour of a new bird or feeder. */
function NewEntryFields({ kind, value, onChange, onAdd }: NewEntryFieldsProps) {
  return (
    <div className={styles['new']} role="group" aria-label={`new ${kind}`}>
      <TextInput
        aria-label={`Name for the new ${kind}`}
        placeholder="Name"
        autoComplete="off"
        dir="auto"
        value={value.name}
        error={value.error}
        onChange={(event) => onChange({ ...value, name: event.currentTarget.value, error: undefined })}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
          event.preventDefault();
          onAdd();
        }}
      />
      <input
        type="color"
        className={styles['colour']}
        aria-label={`Colour for the new ${kind}`}
        value={value.colour}
        onChange={(event) => onChange({ ...value, colour: event.currentTarget.value })}
      />
      <Button onClick={onAdd}>Add {kind}</Button>
    </div>
  );
}

interface SelectorProps extends NewEntryFieldsProps {
  readonly label: string;
  readonly selected: string;
  readonly entries: readonly BoardEntry[];
  readonly onSelect: (selected: string) => void;
}

/** Select of the existing birds or feeders, or a new one. */
function Selector({ label, selected, entries, onSelect, ...row }: SelectorProps) {
  return (
    <div className={styles['field']}>
      <Dropdown
        label={label}
        value={selected}
        onSelect={onSelect}
        options={[
          ...entries.map(({ id, name, colour }) => ({ value: String(id), label: name, dot: colour })),
          { value: NEW_OPTION, label: `new ${row.kind}`, icon: IconPlus },
        ]}
      />
      {selected === NEW_OPTION ? <NewEntryFields {...row} /> : null}
    </div>
  );
}

interface BirdFormProps {
  readonly state: ReturnType<typeof useBoard>;
  readonly isNumeric: boolean;
}
/**
 * Form with bird, feeder and date, or number and date in the hidden mode. Submit does nothing
 * (docs/specification/birds.md section 1).
 */
export function BirdForm({ state: { board, draft, changeDraft, addBird, addFeeder }, isNumeric }: BirdFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const hintId = useId();
  const [announcement, setAnnouncement] = useState('');
  /** Adds a bird or feeder. Its row disappears, so the focus moves to the select. */
  function add(action: () => string | undefined, selectorIndex: number): void {
    const name = action();
    if (name === undefined) return;
    setAnnouncement(`Added ${name} to the board`);
    form.current?.querySelectorAll<HTMLElement>('[aria-haspopup=listbox]')[selectorIndex]?.focus();
  }
  return (
    <Form ref={form} className={styles['form']}>
      {isNumeric ? (
        <TextInput
          type="number"
          label="Number"
          inputMode="numeric"
          value={draft.number}
          onChange={(event) => changeDraft({ number: event.currentTarget.value })}
        />
      ) : (
        <>
          <Selector
            label="Bird"
            kind="bird"
            selected={draft.bird}
            entries={board.birds}
            onSelect={(bird) => changeDraft({ bird })}
            value={draft.newBird}
            onChange={(newBird) => changeDraft({ newBird })}
            onAdd={() => add(addBird, 0)}
          />
          <Selector
            label="Feeder"
            kind="feeder"
            selected={draft.feeder}
            entries={board.feeders}
            onSelect={(feeder) => changeDraft({ feeder })}
            value={draft.newFeeder}
            onChange={(newFeeder) => changeDraft({ newFeeder })}
            onAdd={() => add(addFeeder, 1)}
          />
        </>
      )}
      <TextInput
        type="date"
        label="Date"
        value={draft.date}
        onChange={(event) => changeDraft({ date: event.currentTarget.value })}
      />
      <footer className={styles['foot']}>
        <span role="status" className="unseen">
          {announcement}
        </span>
        <span id={hintId} className={styles['hint']}>
          Unfinished: Submit does nothing
        </span>
        <Button type="submit" variant="primary" aria-describedby={hintId}>
          Submit
        </Button>
      </footer>
    </Form>
  );
}
