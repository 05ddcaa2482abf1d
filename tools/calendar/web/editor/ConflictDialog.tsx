import { Button } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { dateWords, patternWords, tagWords, timeWords } from './editorTexts.ts';
import { listDifferences, type Form } from './eventForm.ts';
import type { EditorState } from './useEditing.ts';
import styles from './Dialogs.module.css';

interface ConflictPart {
  readonly name: string;
  readonly fields: readonly (keyof Form)[];
  readonly text: (form: Form) => string;
}

const parts: readonly ConflictPart[] = [
  { name: 'Name', fields: ['name'], text: ({ name }) => name },
  { name: 'Date', fields: ['date'], text: dateWords },
  { name: 'Time', fields: ['time', 'endTime', 'endDate'], text: timeWords },
  { name: 'Tags', fields: ['tags', 'pinned'], text: tagWords },
  { name: 'Description', fields: ['description'], text: ({ description }) => description },
  {
    name: 'Repeat and length',
    fields: ['style', 'every', 'unit', 'from', 'fromDate', 'until', 'times', 'untilDate', 'amount', 'durationUnit'],
    text: patternWords,
  },
];

type Conflict = NonNullable<EditorState['conflict']>;

function Comparison({ editing, conflict }: { readonly editing: EditorState; readonly conflict: Conflict }) {
  const { mine, start, theirs: event, theirForm: theirs } = conflict;
  const differ = new Set(listDifferences(mine, theirs));
  const changed = new Set(listDifferences(mine, start));
  // Fields that only they changed are taken from them by default.
  const [fromThem, setFromThem] = useState<readonly string[]>(() =>
    parts.filter(({ fields }) => !fields.some((field) => changed.has(field))).map(({ name }) => name),
  );
  const mergeVersions = (): Form => {
    const theirFields = parts.filter(({ name }) => fromThem.includes(name)).flatMap(({ fields }) => fields);
    return { ...mine, ...Object.fromEntries(theirFields.map((field) => [field, theirs[field]])) };
  };
  const choose = (name: string, isTheirs: boolean): void =>
    setFromThem([...fromThem.filter((each) => each !== name), ...(isTheirs ? [name] : [])]);

  return (
    <>
      <p className={styles['text']}>
        Someone saved this event after you opened it. Your changes are safe. Choose which version to keep
      </p>
      <div className={styles['comparison']}>
        <b>Mine</b>
        <b>Theirs</b>
        {parts.map(({ name, fields, text }) => {
          const isDifferent = fields.some((field) => differ.has(field));
          const isTheirs = fromThem.includes(name);
          return (
            <div
              key={name}
              role="group"
              aria-label={name}
              className={styles['comparedField']}
              data-differs={isDifferent || undefined}
            >
              <span>
                {name}
                {isDifferent && <small>different</small>}
              </span>
              {[false, true].map((side) => (
                <button
                  key={String(side)}
                  type="button"
                  dir="auto"
                  disabled={!isDifferent}
                  aria-pressed={isDifferent ? isTheirs === side : undefined}
                  aria-label={`${side ? 'Theirs' : 'Mine'}: ${text(side ? theirs : mine) || 'nothing'}`}
                  onClick={() => choose(name, side)}
                >
                  {isDifferent && isTheirs === side && <IconCheck size={14} stroke={2} aria-hidden />}
                  {text(side ? theirs : mine) || 'nothing'}
                </button>
              ))}
            </div>
          );
        })}
      </div>
      <div className={styles['actions']}>
        <Button data-autofocus variant="primary" onClick={() => editing.keep(mine, event)}>
          Keep mine
        </Button>
        <Button onClick={() => editing.take(event)}>Keep theirs</Button>
        <Button onClick={() => editing.keep(mergeVersions(), event)}>Save selected parts</Button>
      </div>
    </>
  );
}

/** Shows two versions of an event and lets the user choose. */
export function ConflictDialog({ editing }: { readonly editing: EditorState }) {
  const { conflict, compare } = editing;
  return (
    <Dialog
      title="This event was changed elsewhere"
      isOpen={conflict !== undefined}
      width={720}
      onClose={() => compare(undefined)}
    >
      {conflict && <Comparison editing={editing} conflict={conflict} />}
    </Dialog>
  );
}
