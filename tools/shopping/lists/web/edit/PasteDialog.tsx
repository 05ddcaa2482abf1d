import { Button, Textarea } from '@mantine/core';
import { useDeferredValue, useMemo, useState, type CSSProperties } from 'react';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import { type List, isCheckbox } from '../../domain/list.ts';
import { useEdit } from './editContext.ts';
import { findLastTypes } from './listActions.ts';
import { createPasteChanges, previewPaste, type PastedLine } from './pastePreview.ts';
import styles from './PasteDialog.module.css';

interface PasteDialogProps {
  readonly isOpen: boolean;
  readonly list: List;
  /** Stays when the dialog is closed, so that no pasted text is lost. */
  readonly text: string;
  readonly onTextChange: (text: string) => void;
  /** A new item that takes the first line. */
  readonly targetItemId: string | undefined;
  readonly onClose: () => void;
}

const DUPLICATE_LABELS = { list: 'already on the list', text: 'on an earlier line' } as const;
const DUPLICATE_HINT = 'Tick this line to add its quantity to the existing item';

const formatItemCount = (count: number): string => `${count.toLocaleString('en')} ${count === 1 ? 'item' : 'items'}`;

function Line({
  line,
  list,
  isSelected,
  onSelect,
}: {
  readonly line: PastedLine;
  readonly list: List;
  readonly isSelected: boolean;
  readonly onSelect: (isLineSelected: boolean) => void;
}) {
  const { item, types, duplicateIn } = line;
  return (
    <li className={styles['line']} data-left={!isSelected || undefined}>
      <label>
        <input type="checkbox" checked={isSelected} onChange={(event) => onSelect(event.currentTarget.checked)} />
        <span className={styles['emoji']} aria-hidden>
          {item.emoji}
        </span>
        <span className={styles['lineName']} dir="auto">
          {item.name}
        </span>
        {types.map((type) => (
          <small key={type} className={styles['type']}>
            <i className="dot" style={{ '--c': list.types.get(type)?.colour[0] } as CSSProperties} aria-hidden />
            {list.types.get(type)?.name}
          </small>
        ))}
        {duplicateIn !== undefined && (
          <small className={styles['duplicate']} title={DUPLICATE_HINT}>
            {DUPLICATE_LABELS[duplicateIn]}
          </small>
        )}
        <span className={`${styles['amount']} num`}>
          {isCheckbox(item.state) ? (item.state === 1 ? 'ticked' : 'checkbox') : item.desired.toLocaleString('en')}
        </span>
      </label>
    </li>
  );
}

/** Previews the items of many lines, marks names that the list already has, and adds the selected ones. */
export function PasteDialog({ isOpen, list, text, onTextChange, targetItemId, onClose }: PasteDialogProps) {
  const edit = useEdit();
  const [selectionByKey, setSelectionByKey] = useState<ReadonlyMap<string, boolean>>(new Map());
  // Deferred, so that typing stays fast in a long text.
  const deferredText = useDeferredValue(text);
  const { lines, unparsed } = useMemo(
    () =>
      previewPaste(deferredText, {
        list,
        names: edit.getNames(),
        findLastTypes: (name) => findLastTypes(list, name),
        targetItemId,
      }),
    [deferredText, list, edit, targetItemId],
  );
  const isLineSelected = (line: PastedLine): boolean => selectionByKey.get(line.key) ?? line.duplicateIn === undefined;
  const selectedLines = lines.filter(isLineSelected);
  const duplicateCount = lines.filter((line) => line.duplicateIn !== undefined).length;

  function add(): void {
    if (deferredText !== text || selectedLines.length === 0) return;
    const { changes, createUndoChanges } = createPasteChanges(selectedLines, {
      list: edit.getList(),
      createId: edit.createId,
      targetItemId,
    });
    edit.change(changes);
    edit.offerUndo(`${formatItemCount(selectedLines.length)} added`, () => createUndoChanges(edit.getList()));
    setSelectionByKey(new Map());
    onTextChange(unparsed.map(({ line }) => line).join('\n'));
    if (unparsed.length === 0) onClose();
  }

  return (
    <Dialog title="Paste lines" isOpen={isOpen} onClose={onClose} width={620}>
      <Form className={styles['form']} onSubmit={add}>
        <Textarea
          label="One item per line"
          description="For example “2 x milk”, “milk 2” or “- [ ] eggs”. “500 g flour” becomes one item, “flour (500 g)”"
          data-autofocus
          autosize={false}
          rows={6}
          dir="auto"
          value={text}
          onChange={(event) => onTextChange(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) add();
          }}
        />
        {lines.length > 0 && (
          <>
            <p className={styles['sum']} role="status">
              {selectedLines.length === lines.length
                ? `${formatItemCount(lines.length)} to add`
                : `${formatItemCount(selectedLines.length)} of ${lines.length.toLocaleString('en')} to add`}
              {duplicateCount > 0 &&
                ` (${duplicateCount.toLocaleString('en')} already on the list). Tick one to add its quantity to the existing item`}
            </p>
            <ul className={styles['lines']} aria-label="What will be added" tabIndex={-1}>
              {lines.map((line) => (
                <Line
                  key={line.key}
                  line={line}
                  list={list}
                  isSelected={isLineSelected(line)}
                  onSelect={(isSelected) => setSelectionByKey(new Map(selectionByKey).set(line.key, isSelected))}
                />
              ))}
            </ul>
          </>
        )}
        {unparsed.length > 0 && (
          <div className={styles['leftLines']} role="alert">
            <p>
              {unparsed.length === 1 ? 'One line was' : `${unparsed.length.toLocaleString('en')} lines were`} not added:
            </p>
            <ul>
              {unparsed.slice(0, 5).map(({ line, reason }, index) => (
                // oxlint-disable-next-line react/no-array-index-key -- lines can be equal
                <li key={index}>
                  <q dir="auto">{line.trim().slice(0, 40)}</q>: {reason}
                </li>
              ))}
            </ul>
          </div>
        )}
        <div className={styles['buttons']}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={selectedLines.length === 0}>
            {selectedLines.length === 0 ? 'Add' : `Add ${formatItemCount(selectedLines.length)}`}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
