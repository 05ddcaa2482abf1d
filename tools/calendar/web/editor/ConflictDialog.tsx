import { Button } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { formatDate, formatPattern, formatTags, formatTime } from './editorTexts.ts';
import { listDifferences, type Form } from './eventForm.ts';
import type { EditorState } from './useEditing.ts';
import styles from './Dialogs.module.css';

interface ConflictPart {
  readonly name: string;
  readonly fields: readonly (keyof Form)[];
  readonly text: (form: Form) => string;
}

const CONFLICT_PARTS: readonly ConflictPart[] = [
  { name: 'Name', fields: ['name'], text: ({ name }) => name },
  { name: 'Date', fields: ['date'], text: formatDate },
  { name: 'Time', fields: ['time', 'endTime', 'endDate'], text: formatTime },
  { name: 'Tags', fields: ['tags', 'pinned'], text: formatTags },
  { name: 'Description', fields: ['description'], text: ({ description }) => description },
  {
    name: 'Repeat and length',
    fields: ['style', 'every', 'unit', 'from', 'fromDate', 'until', 'times', 'untilDate', 'amount', 'durationUnit'],
    text: formatPattern,
  },
];

type Conflict = NonNullable<EditorState['conflict']>;

function Comparison({ editing, conflict }: { readonly editing: EditorState; readonly conflict: Conflict }) {
  const { mine, start, theirs: event, theirForm: theirs } = conflict;
  const differentFields = new Set(listDifferences(mine, theirs));
  const editedFields = new Set(listDifferences(mine, start));
  // Fields that only they changed are taken from them by default.
  const [theirParts, setTheirParts] = useState<readonly string[]>(() =>
    CONFLICT_PARTS.filter(({ fields }) => !fields.some((field) => editedFields.has(field))).map(({ name }) => name),
  );
  function mergeVersions(): Form {
    const theirFields = CONFLICT_PARTS.filter(({ name }) => theirParts.includes(name)).flatMap(({ fields }) => fields);
    return { ...mine, ...Object.fromEntries(theirFields.map((field) => [field, theirs[field]])) };
  }
  const selectVersion = (name: string, isTheirs: boolean): void =>
    setTheirParts([...theirParts.filter((part) => part !== name), ...(isTheirs ? [name] : [])]);

  return (
    <>
      <p className={styles['text']}>
        Someone saved this event after you opened it. Your changes are safe. Choose which version to keep
      </p>
      <div className={styles['comparison']}>
        <b>Mine</b>
        <b>Theirs</b>
        {CONFLICT_PARTS.map(({ name, fields, text }) => {
          const isDifferent = fields.some((field) => differentFields.has(field));
          const isTheirs = theirParts.includes(name);
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
              {[false, true].map((isTheirSide) => (
                <button
                  key={String(isTheirSide)}
                  type="button"
                  dir="auto"
                  disabled={!isDifferent}
                  aria-pressed={isDifferent ? isTheirs === isTheirSide : undefined}
                  aria-label={`${isTheirSide ? 'Theirs' : 'Mine'}: ${text(isTheirSide ? theirs : mine) || 'nothing'}`}
                  onClick={() => selectVersion(name, isTheirSide)}
                >
                  {isDifferent && isTheirs === isTheirSide && <IconCheck size={14} stroke={2} aria-hidden />}
                  {text(isTheirSide ? theirs : mine) || 'nothing'}
                </button>
              ))}
            </div>
          );
        })}
      </div>
      <div className={styles['actions']}>
        <Button data-autofocus variant="primary" onClick={() => editing.saveVersion(mine, event)}>
          Keep mine
        </Button>
        <Button onClick={() => editing.acceptVersion(event)}>Keep theirs</Button>
        <Button onClick={() => editing.saveVersion(mergeVersions(), event)}>Save selected parts</Button>
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
