import { Button } from '@mantine/core';
import { IconCalendarOff } from '@tabler/icons-react';
import { Suspense } from 'react';
import { useCommands } from '#platform/web/app/commands.ts';
import { lazyPart } from '#platform/web/app/latePart.ts';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import type { PartProps } from '../parts.ts';
import type { Selection } from '../selection.ts';
import { DeleteRow } from './DeleteRow.tsx';
import { Description } from './Description.tsx';
import { History } from './History.tsx';
import { Lines } from './Lines.tsx';
import { MetaRow } from './MetaRow.tsx';
import { NameRow } from './NameRow.tsx';
import { Nothing } from './Nothing.tsx';
import { NOT_ENTERED } from './placeholders.ts';
import { RepeatCard } from './RepeatCard.tsx';
import { Tags } from './Tags.tsx';
import { useEditing } from './useEditing.ts';
import styles from './Editor.module.css';

const ConflictDialog = lazyPart(async () => (await import('./ConflictDialog.tsx')).ConflictDialog);
const MoveDialog = lazyPart(async () => (await import('./MoveDialog.tsx')).MoveDialog);

interface EventFormProps extends Omit<PartProps, 'selection'> {
  readonly selection: Exclude<Selection, { readonly kind: 'none' }>;
  /** What was saved is selected from now on: this very form goes on with it. */
  readonly onBecome: PartProps['onSelect'];
}

/** One event, or a new one, to be changed. */
export function EventForm({ selection, today, onSelect, onBecome }: EventFormProps) {
  const editing = useEditing(selection, { today, onSelect: onBecome });
  const { base, isThere, isGone, error, reload, save } = editing;
  const readOnly = base?.subscription !== undefined;
  useCommands([
    { id: 'calendar.save', name: 'Save event', keys: 'Mod+S', run: save, when: () => isThere && !readOnly && !isGone },
  ]);
  if (isGone) return <Nothing text={NOT_ENTERED} />;
  if (!isThere)
    return error ? (
      <EmptyState icon={IconCalendarOff} text={error.message}>
        <Button onClick={() => void reload()}>Try again</Button>
      </EmptyState>
    ) : (
      <div className={styles['ghost']} role="status" aria-label="Event is loading" />
    );
  return (
    <div className={styles['editor']}>
      <NameRow editing={editing} readOnly={readOnly} />
      <Lines editing={editing} selection={selection} onSelect={onSelect} />
      <MetaRow editing={editing} readOnly={readOnly} />
      <Tags editing={editing} readOnly={readOnly} />
      <Description
        value={editing.form.description}
        readOnly={readOnly}
        onChange={(description) => editing.change({ description })}
        onSave={save}
      />
      <RepeatCard editing={editing} readOnly={readOnly} />
      {base && <History event={base} />}
      {base && !readOnly && <DeleteRow editing={editing} event={base} onSelect={onSelect} />}
      <Suspense>
        {editing.conflict && <ConflictDialog editing={editing} />}
        {editing.asksMove && <MoveDialog editing={editing} />}
      </Suspense>
    </div>
  );
}
