import { Button, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconCopy, IconTrash, IconPlus, IconTableColumn } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { notices } from '#platform/web/app/notices.ts';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import { checkSlot } from '../domain/checkSlot.ts';
import { getTitle, type Slot, getNextStatus } from '../domain/slot.ts';
import { formatShortDate, getWeekday } from '../domain/week.ts';
import { alertFailure } from './alertFailure.ts';
import { clipboard } from './clipboard.ts';
import { ColourField, Description, StatusField, TimeField } from './EditorFields.tsx';
import { parseHex, type PlannedSlot, type SentSlot } from './plannedWeek.ts';
import {
  toFields,
  getDraftKey,
  createFields,
  useDraft,
  type EditorTarget,
  type SlotEdits,
  type SlotFields,
} from './slotDrafts.ts';
import type { WeekChanges } from './weekChanges.ts';
import styles from './SlotEditor.module.css';

/** Returns the request of the editor: for an existing slot only edited fields, so that changes of others remain. */
function toSentFields(fields: SlotFields, edits: SlotEdits, isNew: boolean): SentSlot {
  const hasEdit = (field: keyof SlotFields): boolean => isNew || edits[field] !== undefined;
  const hasTimes = hasEdit('start') || hasEdit('end');
  return {
    name: fields.name,
    ...(hasTimes ? { start: fields.start, end: fields.end } : {}),
    ...(hasEdit('description') ? { description: fields.description } : {}),
    ...(hasEdit('colour') ? { colour: [...parseHex(fields.colour)] } : {}),
    ...(hasEdit('status') ? { state: fields.status } : {}),
  };
}

/** Returns the message below the fields for a failed save. The platform handles ended sessions. */
const getErrorMessage = (error: Error | null): string | undefined =>
  error === null || error instanceof InvalidTokenRefusal ? undefined : error.message;

/** Returns the slot that the fields describe, or the problem with them. */
const parseSlot = (fields: SlotFields): Slot | string => checkSlot(toSentFields(fields, {}, true));

export interface EditorProps {
  readonly target: EditorTarget;
  /** The current slot; undefined for a new one, for one that was deleted elsewhere, and while it is being loaded. */
  readonly slot: PlannedSlot | undefined;
  readonly isDeleted: boolean;
  /** Statuses in the order of the status button. */
  readonly statuses: readonly string[];
  readonly changes: WeekChanges;
  /** If above 0, the first field gets the focus initially, and again when the number grows. */
  readonly focusCount: number;
  /** Gets the target to close, as another one may be open by then. */
  readonly onClose: (closed: EditorTarget) => void;
}

function useSlotEditor({ target, slot, isDeleted, changes, onClose }: EditorProps) {
  const { edits, edit, discard } = useDraft(getDraftKey(target));
  // A slot that was deleted elsewhere stays in the editor.
  const [lastSlot, setLastSlot] = useState(slot);
  if (slot && slot !== lastSlot) setLastSlot(slot);
  const currentSlot = slot ?? lastSlot;
  const base = currentSlot ? toFields(currentSlot) : createFields(target.kind === 'new' ? target.span : undefined);
  const fields: SlotFields = { ...base, ...edits };
  const day = currentSlot?.day ?? (target.kind === 'new' ? target.day : 0);
  const save = useMutation<SlotEdits>({
    mutationFn: async () => {
      const checked = parseSlot(fields);
      if (typeof checked === 'string') throw new Refusal('timetable.invalid_slot', checked);
      const id = isDeleted ? 0 : (currentSlot?.id ?? 0);
      const sent = toSentFields(fields, edits, id === 0);
      await changes.save({ day, data: { [id === 0 ? 'new0' : String(id)]: { ...sent, updatedid: id } } });
      return edits;
    },
    onSuccess: (savedEdits) => {
      discard(savedEdits);
      onClose(target);
    },
    onError: alertFailure,
  });
  function cancel(): void {
    discard();
    onClose(target);
  }
  return { fields, day, edit, cancel, save, isTouched: Object.keys(edits).length > 0 };
}

interface ButtonsProps {
  readonly isSaving: boolean;
  readonly onCancel: () => void;
  readonly onCopy: () => void;
  /** Undefined for new slots. */
  readonly onDelete: (() => void) | undefined;
}

function Buttons({ isSaving, onCancel, onCopy, onDelete }: ButtonsProps) {
  return (
    <>
      <div className={styles['buttons']}>
        <Button type="submit" variant="primary" loading={isSaving}>
          Save
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
      <div className={styles['quiet']}>
        <Button variant="subtle" leftSection={<IconCopy size={16} stroke={1.75} />} onClick={onCopy}>
          Copy
        </Button>
        {onDelete ? (
          <Button
            variant="subtle"
            className={styles['delete'] ?? ''}
            leftSection={<IconTrash size={16} stroke={1.75} />}
            onClick={onDelete}
          >
            Delete
          </Button>
        ) : null}
      </div>
    </>
  );
}

function copyFields(fields: SlotFields): void {
  const slot = parseSlot(fields);
  if (typeof slot === 'string') notices.add('bad', slot);
  else void clipboard.copySlot(slot, getTitle(slot));
}

/** The fields of a slot. Unsaved input is stored as a draft and outlives the editor. */
export function Editor(props: EditorProps) {
  const { slot, isDeleted, statuses, changes, focusCount } = props;
  const { fields, day, edit, cancel, save, isTouched } = useSlotEditor(props);
  const nameField = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focusCount > 0) nameField.current?.focus();
  }, [focusCount]);
  const errorMessage = getErrorMessage(save.error);
  function onDelete(): void {
    cancel();
    if (slot) changes.remove(slot);
  }
  return (
    <Form className={styles['editor']} aria-label="Slot" isBusy={save.isPending} onSubmit={() => save.mutate()}>
      <p className={styles['day']}>
        {getWeekday(day)} {formatShortDate(day)}
        {isTouched ? <span>Not saved yet</span> : null}
      </p>
      {isDeleted ? (
        <p className={styles['deletedNotice']} role="status">
          This slot was deleted elsewhere. Save to create it again
        </p>
      ) : null}
      <TextInput
        ref={nameField}
        label="Name"
        data-autofocus={focusCount > 0 || undefined}
        dir="auto"
        autoComplete="off"
        value={fields.name}
        onChange={(event) => edit({ name: event.currentTarget.value })}
      />
      <div className={styles['times']}>
        <TimeField label="Start time" value={fields.start} onChange={(start) => edit({ start })} />
        <TimeField isEnd label="End time" value={fields.end} onChange={(end) => edit({ end })} />
      </div>
      <StatusField status={fields.status} onPress={() => edit({ status: getNextStatus(fields.status, statuses) })} />
      <Description value={fields.description} onChange={(description) => edit({ description })} />
      <ColourField value={fields.colour} onChange={(colour) => edit({ colour })} />
      {errorMessage === undefined ? null : (
        <p className={styles['problem']} role="alert">
          {errorMessage}
        </p>
      )}
      <Buttons
        isSaving={save.isPending}
        onCancel={cancel}
        onCopy={() => copyFields(fields)}
        onDelete={slot ? onDelete : undefined}
      />
    </Form>
  );
}

/** Shown in place of the closed editor. */
function Hint({ onAdd }: { readonly onAdd: () => void }) {
  return (
    <div className={styles['hint']}>
      <IconTableColumn size={26} stroke={1.5} />
      <p>Choose a slot to edit it, or drag on a day to create one</p>
      <Button leftSection={<IconPlus size={16} stroke={1.75} />} onClick={onAdd}>
        New slot
      </Button>
      <dl>
        <dt>Arrows</dt>
        <dd>move</dd>
        <dt>Shift arrows</dt>
        <dd>resize</dd>
        <dt>S</dt>
        <dd>next status</dd>
        <dt>C, V</dt>
        <dd>copy, paste</dd>
        <dt>Enter</dt>
        <dd>open</dd>
        <dt>Delete</dt>
        <dd>remove</dd>
      </dl>
    </div>
  );
}

interface EditorPaneProps extends Omit<EditorProps, 'target'> {
  readonly target: EditorProps['target'] | undefined;
  readonly onAdd: () => void;
}

/** The editor: on the right if there is room, otherwise as a sheet. */
export function EditorPane({ target, onAdd, ...props }: EditorPaneProps) {
  const isWide = useMediaQuery('(min-width: 1100px)', undefined, { getInitialValueInEffect: false }) ?? true;
  const editor = target ? <Editor key={getDraftKey(target)} target={target} {...props} /> : null;
  if (isWide)
    return (
      <aside className={styles['pane']} aria-label="Slot">
        {editor ?? <Hint onAdd={onAdd} />}
      </aside>
    );
  const title = target?.kind === 'new' ? 'New slot' : 'Slot';
  return (
    <Dialog title={title} isOpen={target !== undefined} onClose={() => target && props.onClose(target)} width={400}>
      {editor}
    </Dialog>
  );
}
