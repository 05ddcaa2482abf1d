import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconPlus, IconTableColumn } from '@tabler/icons-react';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { keyOf } from './slotDrafts.ts';
import { Editor, type EditorProps } from './SlotEditor.tsx';
import styles from './EditorPane.module.css';

/** In the editor's place while it is closed. */
function Hint({ add }: { readonly add: () => void }) {
  return (
    <div className={styles['hint']}>
      <IconTableColumn size={26} stroke={1.5} />
      <p>Choose a slot to change it, or draw a new one on a day.</p>
      <Button leftSection={<IconPlus size={16} stroke={1.75} />} onClick={add}>
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
        <dd>copy, paste into the day</dd>
        <dt>Enter</dt>
        <dd>open</dd>
        <dt>Delete</dt>
        <dd>remove</dd>
      </dl>
    </div>
  );
}

interface EditorPaneProps extends Omit<EditorProps, 'editing'> {
  readonly editing: EditorProps['editing'] | undefined;
  readonly add: () => void;
}

/** The editor: at the right where there is room, else as a sheet. */
export function EditorPane({ editing, add, ...props }: EditorPaneProps) {
  const hasRoom = useMediaQuery('(min-width: 1100px)', undefined, { getInitialValueInEffect: false }) ?? true;
  const editor = editing ? <Editor key={keyOf(editing)} editing={editing} {...props} /> : null;
  if (hasRoom)
    return (
      <aside className={styles['pane']} aria-label="Slot">
        {editor ?? <Hint add={add} />}
      </aside>
    );
  const title = editing?.kind === 'new' ? 'New slot' : 'Slot';
  return (
    <Dialog title={title} isOpen={editing !== undefined} onClose={() => editing && props.onClose(editing)} width={400}>
      {editor}
    </Dialog>
  );
}
