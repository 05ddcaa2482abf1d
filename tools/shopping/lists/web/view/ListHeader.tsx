import { Button } from '@mantine/core';
import { IconArrowBackUp, IconPrinter, IconUserPlus } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { useCommands } from '#platform/web/app/commands.ts';
import { lazyPart } from '#platform/web/app/latePart.ts';
import { useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { isTextFieldFocused } from '#platform/web/browser/typeAhead.ts';
import { useWakeLock } from '#platform/web/browser/useWakeLock.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import type { List } from '../../domain/list.ts';
import { untickAll } from '../menu/fresh.ts';
import type { ListActions } from '../menu/useListActions.ts';
import type { ListEntry, OpenList } from '../plannerTypes.ts';
import { EditSwitch } from './EditSwitch.tsx';
import { ListMenu } from './ListMenu.tsx';
import { ListName } from './ListName.tsx';
import { HIDE_DONE } from './ViewMode.tsx';
import styles from './ListHeader.module.css';

const ShareDialog = lazyPart(async () => (await import('../menu/ShareDialog.tsx')).ShareDialog);
const LosingDialog = lazyPart(async () => (await import('#platform/web/ui/Dialog.tsx')).DiscardDialog);
const AWAKE = 'shopping.awake';
const small = { size: 16, stroke: 1.75 };

interface ListHeadProps {
  readonly list: List;
  readonly open: OpenList;
  readonly entry: ListEntry | undefined;
  readonly acts: ListActions;
  readonly isEditing: boolean;
  readonly isFresh: boolean;
  readonly onEdit: (isEditing: boolean) => void;
}

/** The list's name and what can be done with it. */
export function ListHead({ list, open, entry, acts, isEditing, isFresh, onEdit }: ListHeadProps) {
  const [isSharing, setSharing] = useState<boolean>();
  const [awake, setAwake] = useBrowserStorage(AWAKE);
  const isAwake = awake === 'on';
  const [hidden, setHidden] = useBrowserStorage(HIDE_DONE);
  const [isDeleting, setDeleting] = useState(false);
  useWakeLock(isAwake);
  const share = (): void => setSharing(true);
  useCommands([
    { id: 'shopping.edit', name: 'Edit mode on and off', keys: 'e', run: () => onEdit(!isEditing) },
    {
      id: 'shopping.undo',
      name: 'Undo the last change',
      keys: 'Mod+Z',
      // In a field it is the field's own.
      when: () => open.canUndo && !isTextFieldFocused(),
      run: open.undo,
    },
    { id: 'shopping.share', name: 'Share the list', when: () => entry?.id !== undefined, run: share },
    { id: 'shopping.untick', name: 'Untick all items', run: () => open.change(untickAll(list)) },
    { id: 'shopping.print', name: 'Print the list', run: () => window.print() },
  ]);
  return (
    <div className={styles['head']}>
      <ListName name={list.name} isFresh={isFresh} rename={(name) => open.change([{ kind: 'rename', name }])} />
      <IconButton label="Undo" disabled={!open.canUndo} onClick={open.undo}>
        <IconArrowBackUp size={20} stroke={1.75} />
      </IconButton>
      <Button
        className={styles['wide'] ?? ''}
        variant="subtle"
        leftSection={<IconUserPlus {...small} />}
        disabled={entry?.id === undefined}
        onClick={share}
      >
        Share
      </Button>
      <Button
        className={styles['wide'] ?? ''}
        variant="subtle"
        leftSection={<IconPrinter {...small} />}
        onClick={() => window.print()}
      >
        Print
      </Button>
      <EditSwitch isOn={isEditing} onSwitch={onEdit} />
      <ListMenu
        entry={entry}
        name={list.name}
        isAwake={isAwake}
        isDoneHidden={hidden === 'on'}
        canUntick={untickAll(list).length > 0}
        canUndo={open.canUndo}
        onAwake={(on) => setAwake(on ? 'on' : 'off')}
        onHideDone={(on) => setHidden(on ? 'on' : 'off')}
        onUntickAll={() => open.change(untickAll(list))}
        onUndo={open.undo}
        onShare={share}
        onDuplicate={() => acts.duplicate(list)}
        onArchive={(its, archived) => void acts.archive(its, archived)}
        onDelete={(its) => (its.members > 1 ? setDeleting(true) : void acts.remove(its))}
      />
      {entry !== undefined && isDeleting && (
        <Suspense>
          <LosingDialog
            title={`Delete ${entry.name}?`}
            keepLabel="Cancel"
            onKeep={() => setDeleting(false)}
            discardLabel="Delete list"
            onDiscard={() => {
              setDeleting(false);
              void acts.remove(entry);
            }}
          >
            {entry.members === 2 ? '1 other person uses' : `${entry.members - 1} other people use`} this list. It is
            deleted for everyone. You can restore it from the bin for 30 days
          </LosingDialog>
        </Suspense>
      )}
      {entry?.id !== undefined && isSharing !== undefined && (
        <Suspense>
          <ShareDialog
            entry={entry}
            list={entry.id}
            opened={isSharing}
            onClose={() => setSharing(false)}
            onLeave={() => acts.goOut(entry)}
          />
        </Suspense>
      )}
    </div>
  );
}
