import { Button, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useId, useRef, useState } from 'react';
import { Dropdown } from '#platform/web/ui/Dropdown.tsx';
import type { Feeder } from '../domain/board.ts';
import { NEW, type SightingDraft, type NewEntryDraft, type useBoard } from './useBoard.ts';
import styles from './BirdsPage.module.css';

interface NewRowProps {
  /** 'bird' or 'feeder'. */
  readonly kind: string;
  readonly value: NewEntryDraft;
  readonly onChange: (value: NewEntryDraft) => void;
  readonly onAdd: () => void;
}

/** Fields for the name and colour of a new bird or feeder. */
function NewRow({ kind, value, onChange, onAdd }: NewRowProps) {
  return (
    <div className={styles['new']} role="group" aria-label={`new ${kind}`}>
      <TextInput
        aria-label={`Name for the new ${kind}`}
        placeholder="Name"
        autoComplete="off"
        dir="auto"
        value={value.name}
        error={value.why}
        onChange={(event) => onChange({ ...value, name: event.currentTarget.value, why: undefined })}
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

interface SelectorProps extends NewRowProps {
  readonly label: string;
  readonly chosen: string;
  readonly ones: readonly Feeder[];
  readonly choose: (chosen: string) => void;
}

/** Select of the existing birds or feeders, or a new one. */
function Selector({ label, chosen, ones, choose, ...row }: SelectorProps) {
  return (
    <div className={styles['field']}>
      <Dropdown
        label={label}
        value={chosen}
        onSelect={choose}
        options={[
          ...ones.map(({ id, name, colour }) => ({ value: String(id), label: name, dot: colour })),
          { value: NEW, label: `new ${row.kind}`, icon: IconPlus },
        ]}
      />
      {chosen === NEW ? <NewRow {...row} /> : null}
    </div>
  );
}

type BoardState = ReturnType<typeof useBoard>;

interface DateFieldProps {
  readonly draft: SightingDraft;
  readonly change: BoardState['change'];
}

function DateField({ draft, change }: DateFieldProps) {
  return (
    <TextInput
      type="date"
      label="Date"
      value={draft.date}
      onChange={(event) => change({ date: event.currentTarget.value })}
    />
  );
}

/**
 * Form with bird, feeder and date, or number and date in the hidden mode. Submit does nothing
 * (docs/specification/birds.md section 1).
 */
export function BirdForm({ state, isNumeric }: { readonly state: BoardState; readonly isNumeric: boolean }) {
  const { board, draft, change, addBird, addFeeder } = state;
  const form = useRef<HTMLFormElement>(null);
  const hint = useId();
  const [announcement, setAnnouncement] = useState('');
  /** Adds a bird or feeder. Its row disappears, so the focus moves to the select. */
  const add = (action: () => string | undefined, selector: number): void => {
    const name = action();
    if (name === undefined) return;
    setAnnouncement(`Added ${name} to the board`);
    form.current?.querySelectorAll<HTMLElement>('[aria-haspopup=listbox]')[selector]?.focus();
  };
  return (
    <form ref={form} className={styles['form']} onSubmit={(event) => event.preventDefault()}>
      {isNumeric ? (
        <TextInput
          type="number"
          label="Number"
          inputMode="numeric"
          value={draft.number}
          onChange={(event) => change({ number: event.currentTarget.value })}
        />
      ) : (
        <>
          <Selector
            label="Bird"
            kind="bird"
            chosen={draft.bird}
            ones={board.birds}
            choose={(bird) => change({ bird })}
            value={draft.newBird}
            onChange={(newBird) => change({ newBird })}
            onAdd={() => add(addBird, 0)}
          />
          <Selector
            label="Feeder"
            kind="feeder"
            chosen={draft.feeder}
            ones={board.feeders}
            choose={(feeder) => change({ feeder })}
            value={draft.newFeeder}
            onChange={(newFeeder) => change({ newFeeder })}
            onAdd={() => add(addFeeder, 1)}
          />
        </>
      )}
      <DateField draft={draft} change={change} />
      <footer className={styles['foot']}>
        <span role="status" className="unseen">
          {announcement}
        </span>
        <span id={hint} className={styles['hint']}>
          Unfinished: Submit does nothing
        </span>
        <Button type="submit" variant="primary" aria-describedby={hint}>
          Submit
        </Button>
      </footer>
    </form>
  );
}
