import { Button, Menu } from '@mantine/core';
import {
  IconArrowBackUp,
  IconPrinter,
  IconUserPlus,
  IconArchive,
  IconArchiveOff,
  IconCheck,
  IconCopy,
  IconSquareOff,
  IconTrash,
} from '@tabler/icons-react';
import { Suspense, useState, useEffect, useRef } from 'react';
import { useCommands } from '#platform/web/app/commands.ts';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import { isTextFieldFocused } from '#platform/web/browser/typeAhead.ts';
import { useWakeLock } from '#platform/web/browser/useWakeLock.ts';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import { PageMenu } from '#platform/web/page/PageHeader.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { Switch } from '#platform/web/ui/Switch.tsx';
import { type List, LIMITS } from '../../domain/list.ts';
import { createUntickChanges } from '../menu/resetList.ts';
import type { ListActions } from '../menu/useListActions.ts';
import type { ListEntry, OpenList } from '../plannerTypes.ts';
import { HIDE_DONE_KEY } from './ViewMode.tsx';
import styles from './ListHeader.module.css';

interface ListNameProps {
  readonly name: string;
  /** The list was just created, so its name is selected for replacement. */
  readonly isNew: boolean;
  readonly onRename: (name: string) => void;
}

/** The draft is saved after this pause in typing, as the page may be closed at any time. */
const SAVE_DEBOUNCE_MS = 1000;

/** Editable name of the list. While the user types, changes of others don't replace the text. */
function ListName({ name, isNew, onRename }: ListNameProps) {
  const [draft, setDraft] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const latest = useRef({ name, draft, onRename });
  useEffect(() => {
    latest.current = { name, draft, onRename };
  });
  /** The name that this edit saved, and the one before it, which Escape restores. */
  const lastSave = useRef<{ readonly name: string; readonly before: string }>(undefined);
  function save(): void {
    const { current } = latest;
    const newName = current.draft?.trim() ?? '';
    if (newName === '' || newName === current.name) return;
    // If another user renamed the list in the meantime, Escape restores that name.
    const before = lastSave.current?.name === current.name ? lastSave.current.before : current.name;
    lastSave.current = { name: newName, before };
    current.onRename(newName);
  }
  function stopEditing(): void {
    lastSave.current = undefined;
    setDraft(undefined);
  }
  const latestSave = useRef(save);
  useEffect(() => {
    if (draft === undefined) return undefined;
    const timer = setTimeout(() => latestSave.current(), SAVE_DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [draft]);
  useEffect(() => {
    const saveNow = (): void => latestSave.current();
    window.addEventListener('pagehide', saveNow);
    return () => {
      window.removeEventListener('pagehide', saveNow);
      saveNow();
    };
  }, []);
  useEffect(() => {
    if (isNew) field.current?.select();
  }, [isNew]);
  return (
    <input
      ref={field}
      className={styles['name']}
      dir="auto"
      aria-label="List name"
      autoComplete="off"
      maxLength={LIMITS.name}
      value={draft ?? name}
      placeholder={name}
      onChange={({ currentTarget }) => setDraft(currentTarget.value)}
      onBlur={() => {
        save();
        stopEditing();
      }}
      onKeyDown={({ key, currentTarget, nativeEvent }) => {
        if (nativeEvent.isComposing) return;
        if (key === 'Enter') currentTarget.blur();
        if (key !== 'Escape') return;
        if (lastSave.current?.name === name) onRename(lastSave.current.before);
        stopEditing();
      }}
    />
  );
}

const MENU_ICON = { size: 16, stroke: 1.75 };

interface ListMenuProps {
  readonly entry: ListEntry | undefined;
  readonly name: string;
  readonly isAwake: boolean;
  readonly isDoneHidden: boolean;
  /** Whether anything of the list is bought. */
  readonly canUntick: boolean;
  readonly canUndo: boolean;
  readonly onAwakeChange: (isAwake: boolean) => void;
  readonly onHideDoneChange: (isDoneHidden: boolean) => void;
  readonly onUntickAll: () => void;
  readonly onUndo: () => void;
  readonly onShare: () => void;
  readonly onDuplicate: () => void;
  readonly onArchive: (entry: ListEntry, archived: boolean) => void;
  readonly onDelete: (entry: ListEntry) => void;
}

const NOT_SAVED_MESSAGE = 'Available when the list is saved on the server';

function KeepAwakeItem({ isAwake, onAwakeChange }: Pick<ListMenuProps, 'isAwake' | 'onAwakeChange'>) {
  if (!isSecureContext())
    return (
      <Menu.Label className={styles['requirement'] ?? ''}>
        <HttpsHint>Keeping the screen on needs https</HttpsHint>
      </Menu.Label>
    );
  return (
    <Menu.CheckboxItem checked={isAwake} checkIcon={<IconCheck {...MENU_ICON} />} onChange={onAwakeChange}>
      Keep screen on
    </Menu.CheckboxItem>
  );
}

/** Menu of actions on the open list. */
function ListMenu(props: ListMenuProps) {
  const { entry, name, isAwake, isDoneHidden, canUntick, canUndo, onAwakeChange, onHideDoneChange } = props;
  const { onUntickAll, onUndo, onShare, onDuplicate, onArchive, onDelete } = props;
  const isSent = entry?.id !== undefined;
  const serverActionProps = isSent ? {} : { disabled: true, title: NOT_SAVED_MESSAGE };
  const isArchived = entry?.isArchived === true;
  return (
    <PageMenu label={`Menu for ${name}`} width={232}>
      <Menu.Item leftSection={<IconArrowBackUp {...MENU_ICON} />} disabled={!canUndo} onClick={onUndo}>
        Undo
      </Menu.Item>
      <Menu.Item leftSection={<IconUserPlus {...MENU_ICON} />} {...serverActionProps} onClick={onShare}>
        Share
      </Menu.Item>
      <Menu.Item leftSection={<IconSquareOff {...MENU_ICON} />} disabled={!canUntick} onClick={onUntickAll}>
        Untick all
      </Menu.Item>
      <Menu.CheckboxItem checked={isDoneHidden} checkIcon={<IconCheck {...MENU_ICON} />} onChange={onHideDoneChange}>
        Hide done items
      </Menu.CheckboxItem>
      <KeepAwakeItem isAwake={isAwake} onAwakeChange={onAwakeChange} />
      <Menu.Item leftSection={<IconPrinter {...MENU_ICON} />} onClick={() => window.print()}>
        Print
      </Menu.Item>
      <Menu.Item leftSection={<IconCopy {...MENU_ICON} />} onClick={onDuplicate}>
        Duplicate
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item
        leftSection={isArchived ? <IconArchiveOff {...MENU_ICON} /> : <IconArchive {...MENU_ICON} />}
        {...serverActionProps}
        onClick={() => entry && onArchive(entry, !isArchived)}
      >
        {isArchived ? 'Unarchive' : 'Archive'}
      </Menu.Item>
      {entry?.owner === undefined && (
        <Menu.Item
          className={styles['danger'] ?? ''}
          leftSection={<IconTrash {...MENU_ICON} />}
          disabled={entry === undefined}
          onClick={() => entry && onDelete(entry)}
        >
          Delete list
        </Menu.Item>
      )}
    </PageMenu>
  );
}

const ShareDialog = lazyPart(async () => (await import('../menu/ShareDialog.tsx')).ShareDialog);
const ConfirmDialog = lazyPart(async () => (await import('#platform/web/ui/Dialog.tsx')).ConfirmDialog);
const AWAKE_KEY = 'shopping.awake';
const BUTTON_ICON = { size: 16, stroke: 1.75 };

interface ListHeaderProps {
  readonly list: List;
  readonly openList: OpenList;
  readonly entry: ListEntry | undefined;
  readonly actions: ListActions;
  readonly isEditing: boolean;
  readonly isNew: boolean;
  readonly onEdit: (isEditing: boolean) => void;
}

/** Header of the list: its name and its actions. */
export function ListHeader({ list, openList, entry, actions, isEditing, isNew, onEdit }: ListHeaderProps) {
  const [isSharing, setSharing] = useState<boolean>();
  const [awake, setAwake] = useBrowserStorage(AWAKE_KEY);
  const isAwake = awake === 'on';
  const [hideDone, setHideDone] = useBrowserStorage(HIDE_DONE_KEY);
  const [isDeleting, setDeleting] = useState(false);
  useWakeLock(isAwake);
  const share = (): void => setSharing(true);
  useCommands([
    { id: 'shopping.edit', name: 'Turn edit mode on or off', keys: 'e', run: () => onEdit(!isEditing) },
    {
      id: 'shopping.undo',
      name: 'Undo the last change',
      keys: 'Mod+Z',
      // In a text field, the key undoes typing.
      when: () => openList.canUndo && !isTextFieldFocused(),
      run: openList.undo,
    },
    { id: 'shopping.share', name: 'Share list', when: () => entry?.id !== undefined, run: share },
    { id: 'shopping.untick', name: 'Untick all items', run: () => openList.change(createUntickChanges(list)) },
    { id: 'shopping.print', name: 'Print list', run: () => window.print() },
  ]);
  return (
    <div className={styles['head']}>
      <ListName name={list.name} isNew={isNew} onRename={(name) => openList.change([{ kind: 'rename', name }])} />
      <IconButton label="Undo" disabled={!openList.canUndo} onClick={openList.undo}>
        <IconArrowBackUp size={20} stroke={1.75} />
      </IconButton>
      <Button
        className={styles['wide'] ?? ''}
        variant="subtle"
        leftSection={<IconUserPlus {...BUTTON_ICON} />}
        disabled={entry?.id === undefined}
        onClick={share}
      >
        Share
      </Button>
      <Button
        className={styles['wide'] ?? ''}
        variant="subtle"
        leftSection={<IconPrinter {...BUTTON_ICON} />}
        onClick={() => window.print()}
      >
        Print
      </Button>
      <Switch label="Edit mode" isOn={isEditing} onChange={onEdit} />
      <ListMenu
        entry={entry}
        name={list.name}
        isAwake={isAwake}
        isDoneHidden={hideDone === 'on'}
        canUntick={createUntickChanges(list).length > 0}
        canUndo={openList.canUndo}
        onAwakeChange={(on) => setAwake(on ? 'on' : 'off')}
        onHideDoneChange={(on) => setHideDone(on ? 'on' : 'off')}
        onUntickAll={() => openList.change(createUntickChanges(list))}
        onUndo={openList.undo}
        onShare={share}
        onDuplicate={() => actions.duplicate(list)}
        onArchive={(listEntry, archived) => void actions.archive(listEntry, archived)}
        onDelete={(listEntry) => (listEntry.members > 1 ? setDeleting(true) : void actions.remove(listEntry))}
      />
      {entry !== undefined && isDeleting && (
        <Suspense>
          <ConfirmDialog
            title={`Delete ${entry.name}?`}
            cancelLabel="Cancel"
            onCancel={() => setDeleting(false)}
            confirmLabel="Delete list"
            onConfirm={() => {
              setDeleting(false);
              void actions.remove(entry);
            }}
          >
            {entry.members === 2 ? '1 other person uses' : `${entry.members - 1} other people use`} this list. It is
            deleted for everyone. You can restore it from the bin for 30 days
          </ConfirmDialog>
        </Suspense>
      )}
      {entry?.id !== undefined && isSharing !== undefined && (
        <Suspense>
          <ShareDialog
            entry={entry}
            list={entry.id}
            isOpen={isSharing}
            onClose={() => setSharing(false)}
            onLeave={() => actions.leave(entry)}
          />
        </Suspense>
      )}
    </div>
  );
}
