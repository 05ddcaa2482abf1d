import { Button, Textarea } from '@mantine/core';
import { useDeferredValue, useMemo, useState, type CSSProperties } from 'react';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { type List, isCheckbox } from '../../domain/list.ts';
import { useEdit } from './editContext.ts';
import { typesHad } from './listActions.ts';
import { createPasteChanges, readPasted, type PastedLine } from './pasting.ts';
import styles from './PasteDialog.module.css';

interface PasteDialogProps {
  readonly opened: boolean;
  readonly list: List;
  /** Stays when the dialog is closed, so that no pasted text is lost. */
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly into: string | undefined;
  readonly onClose: () => void;
}

const DUPLICATE_LABELS = { list: 'already on the list', text: 'on an earlier line' } as const;
const DUPLICATE_HINT = 'Tick this line to add its quantity to the existing item';

const counted = (count: number): string => `${count.toLocaleString('en')} ${count === 1 ? 'item' : 'items'}`;

function Line({
  line,
  list,
  isChosen,
  onChoose,
}: {
  readonly line: PastedLine;
  readonly list: List;
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
}) {
  const { item, types, again } = line;
  return (
    <li className={styles['line']} data-left={!isChosen || undefined}>
      <label>
        <input type="checkbox" checked={isChosen} onChange={(event) => onChoose(event.currentTarget.checked)} />
        <span className={styles['emoji']} aria-hidden>
          {item.emoji}
        </span>
        <span className={styles['lineName']} dir="auto">
          {item.name}
        </span>
        {types.map((type) => (
          <small key={type} className={styles['type']}>
            <i style={{ '--c': list.types.get(type)?.colour[0] } as CSSProperties} aria-hidden />
            {list.types.get(type)?.name}
          </small>
        ))}
        {again !== undefined && (
          <small className={styles['duplicate']} title={DUPLICATE_HINT}>
            {DUPLICATE_LABELS[again]}
          </small>
        )}
        <span className={styles['amount']}>
          {isCheckbox(item.state) ? (item.state === 1 ? 'ticked' : 'checkbox') : item.desired.toLocaleString('en')}
        </span>
      </label>
    </li>
  );
}

/** Adds many lines at once: shows a preview first, and marks names that the list already has. */
export function PasteDialog({ opened, list, text, onText, into, onClose }: PasteDialogProps) {
  const edit = useEdit();
  const [turned, setTurned] = useState<ReadonlyMap<string, boolean>>(new Map());
  // Deferred, so that typing stays fast in a long text.
  const late = useDeferredValue(text);
  const { lines, left } = useMemo(
    () => readPasted(late, { list, names: edit.names(), typesHad: (name) => typesHad(list, name), into }),
    [late, list, edit, into],
  );
  const isChosen = (line: PastedLine): boolean => turned.get(line.key) ?? line.again === undefined;
  const chosen = lines.filter(isChosen);
  const again = lines.filter((line) => line.again !== undefined).length;

  const add = (): void => {
    if (late !== text || chosen.length === 0) return;
    const { changes, back } = createPasteChanges(chosen, { list: edit.list(), newId: edit.newId, into });
    edit.change(changes);
    edit.offerUndo(`${counted(chosen.length)} added`, () => back(edit.list()));
    setTurned(new Map());
    onText(left.map(({ line }) => line).join('\n'));
    if (left.length === 0) onClose();
  };

  return (
    <Dialog title="Paste lines" isOpen={opened} onClose={onClose} width={620}>
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <Textarea
          label="One item per line"
          description="For example “2 x milk”, “milk 2” or “- [ ] eggs”. “500 g flour” becomes one item, “flour (500 g)”"
          data-autofocus
          autosize={false}
          rows={6}
          dir="auto"
          value={text}
          onChange={(event) => onText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) add();
          }}
        />
        {lines.length > 0 && (
          <>
            <p className={styles['sum']} role="status">
              {chosen.length === lines.length
                ? `${counted(lines.length)} to add`
                : `${counted(chosen.length)} of ${lines.length.toLocaleString('en')} to add`}
              {again > 0 &&
                ` (${again.toLocaleString('en')} already on the list). Tick one to add its quantity to the existing item`}
            </p>
            <ul className={styles['lines']} aria-label="What will be added" tabIndex={-1}>
              {lines.map((line) => (
                <Line
                  key={line.key}
                  line={line}
                  list={list}
                  isChosen={isChosen(line)}
                  onChoose={(is) => setTurned(new Map(turned).set(line.key, is))}
                />
              ))}
            </ul>
          </>
        )}
        {left.length > 0 && (
          <div className={styles['leftLines']} role="alert">
            <p>{left.length === 1 ? 'One line was' : `${left.length.toLocaleString('en')} lines were`} not added:</p>
            <ul>
              {left.slice(0, 5).map(({ line, why }, at) => (
                // oxlint-disable-next-line react/no-array-index-key -- lines can be equal
                <li key={at}>
                  <q dir="auto">{line.trim().slice(0, 40)}</q>: {why}
                </li>
              ))}
            </ul>
          </div>
        )}
        <div className={styles['buttons']}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={chosen.length === 0}>
            {chosen.length === 0 ? 'Add' : `Add ${counted(chosen.length)}`}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
