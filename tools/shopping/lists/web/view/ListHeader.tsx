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
import { untickAll } from '../menu/fresh.ts';
import type { ListActions } from '../menu/useListActions.ts';
import type { ListEntry, OpenList } from '../plannerTypes.ts';
import { HIDE_DONE } from './ViewMode.tsx';
import styles from './ListHeader.module.css';

interface ListNameProps {
  readonly name: string;
  /** The list was just created, so its name is selected for replacement. */
  readonly isFresh: boolean;
  readonly rename: (name: string) => void;
}

/** The draft is saved after this pause in typing, as the page may be closed at any time. */
const SAVE_DEBOUNCE_MS = 1000;

/** Editable name of the list. While the user types, changes of others don't replace the text. */
export function ListName({ name, isFresh, rename }: ListNameProps) {
  const [draft, setDraft] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const latest = useRef({ name, draft, rename });
  useEffect(() => {
    latest.current = { name, draft, rename };
  });
  /** The name that this edit saved, and the one before it, which Escape restores. */
  const lastSave = useRef<{ readonly name: string; readonly before: string }>(undefined);
  const keep = (): void => {
    const { draft: typed, name: known, rename: save } = latest.current;
    const next = typed?.trim() ?? '';
    if (next === '' || next === known) return;
    // If another user renamed the list in the meantime, Escape restores that name.
    lastSave.current = { name: next, before: lastSave.current?.name === known ? lastSave.current.before : known };
    save(next);
  };
  const end = (): void => {
    lastSave.current = undefined;
    setDraft(undefined);
  };
  const atEnd = useRef(keep);
  useEffect(() => {
    if (draft === undefined) return undefined;
    const pause = setTimeout(() => atEnd.current(), SAVE_DEBOUNCE_MS);
    return () => clearTimeout(pause);
  }, [draft]);
  useEffect(() => {
    const leave = (): void => atEnd.current();
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, []);
  useEffect(() => {
    if (isFresh) field.current?.select();
  }, [isFresh]);
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
        keep();
        end();
      }}
      onKeyDown={({ key, currentTarget, nativeEvent }) => {
        if (nativeEvent.isComposing) return;
        if (key === 'Enter') currentTarget.blur();
        if (key !== 'Escape') return;
        if (lastSave.current?.name === name) rename(lastSave.current.before);
        end();
      }}
    />
  );
}

const icon = { size: 16, stroke: 1.75 };

interface ListMenuProps {
  readonly entry: ListEntry | undefined;
  readonly name: string;
  readonly isAwake: boolean;
  readonly isDoneHidden: boolean;
  /** Whether anything of the list is bought. */
  readonly canUntick: boolean;
  readonly canUndo: boolean;
  readonly onAwake: (isAwake: boolean) => void;
  readonly onHideDone: (isDoneHidden: boolean) => void;
  readonly onUntickAll: () => void;
  readonly onUndo: () => void;
  readonly onShare: () => void;
  readonly onDuplicate: () => void;
  readonly onArchive: (entry: ListEntry, archived: boolean) => void;
  readonly onDelete: (entry: ListEntry) => void;
}

/** For actions that need the server, while it does not know the list yet. */
const LATER = 'Available when the list is saved on the server';

function Awake({ isAwake, onAwake }: Pick<ListMenuProps, 'isAwake' | 'onAwake'>) {
  if (!isSecureContext())
    return (
      <Menu.Label className={styles['requirement'] ?? ''}>
        <HttpsHint>Keeping the screen on needs https</HttpsHint>
      </Menu.Label>
    );
  return (
    <Menu.CheckboxItem checked={isAwake} checkIcon={<IconCheck {...icon} />} onChange={onAwake}>
      Keep screen on
    </Menu.CheckboxItem>
  );
}

/** Menu of actions on the open list. */
export function ListMenu(props: ListMenuProps) {
  const { entry, name, isAwake, isDoneHidden, canUntick, canUndo, onAwake, onHideDone } = props;
  const { onUntickAll, onUndo, onShare, onDuplicate, onArchive, onDelete } = props;
  const isSent = entry?.id !== undefined;
  const later = isSent ? {} : { disabled: true, title: LATER };
  const isArchived = entry?.isArchived === true;
  return (
    <PageMenu label={`Menu for ${name}`} width={232}>
      <Menu.Item leftSection={<IconArrowBackUp {...icon} />} disabled={!canUndo} onClick={onUndo}>
        Undo
      </Menu.Item>
      <Menu.Item leftSection={<IconUserPlus {...icon} />} {...later} onClick={onShare}>
        Share
      </Menu.Item>
      <Menu.Item leftSection={<IconSquareOff {...icon} />} disabled={!canUntick} onClick={onUntickAll}>
        Untick all
      </Menu.Item>
      <Menu.CheckboxItem checked={isDoneHidden} checkIcon={<IconCheck {...icon} />} onChange={onHideDone}>
        Hide done items
      </Menu.CheckboxItem>
      <Awake isAwake={isAwake} onAwake={onAwake} />
      <Menu.Item leftSection={<IconPrinter {...icon} />} onClick={() => window.print()}>
        Print
      </Menu.Item>
      <Menu.Item leftSection={<IconCopy {...icon} />} onClick={onDuplicate}>
        Duplicate
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item
        leftSection={isArchived ? <IconArchiveOff {...icon} /> : <IconArchive {...icon} />}
        {...later}
        onClick={() => entry && onArchive(entry, !isArchived)}
      >
        {isArchived ? 'Unarchive' : 'Archive'}
      </Menu.Item>
      {entry?.owner === undefined && (
        <Menu.Item
          className={styles['danger'] ?? ''}
          leftSection={<IconTrash {...icon} />}
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
const LosingDialog = lazyPart(async () => (await import('#platform/web/ui/Dialog.tsx')).DiscardDialog);
const AWAKE = 'shopping.awake';
const small = { size: 16, stroke: 1.75 };

interface ListHeadProps {
  readonly list: List;
  readonly open: OpenList;
  readonly entry: ListEntry | undefined;
  readonly actions: ListActions;
  readonly isEditing: boolean;
  readonly isFresh: boolean;
  readonly onEdit: (isEditing: boolean) => void;
}

/** Header of the list: its name and its actions. */
export function ListHead({ list, open, entry, actions, isEditing, isFresh, onEdit }: ListHeadProps) {
  const [isSharing, setSharing] = useState<boolean>();
  const [awake, setAwake] = useBrowserStorage(AWAKE);
  const isAwake = awake === 'on';
  const [hidden, setHidden] = useBrowserStorage(HIDE_DONE);
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
      when: () => open.canUndo && !isTextFieldFocused(),
      run: open.undo,
    },
    { id: 'shopping.share', name: 'Share list', when: () => entry?.id !== undefined, run: share },
    { id: 'shopping.untick', name: 'Untick all items', run: () => open.change(untickAll(list)) },
    { id: 'shopping.print', name: 'Print list', run: () => window.print() },
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
      <Switch label="Edit mode" isOn={isEditing} onChange={onEdit} />
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
        onDuplicate={() => actions.duplicate(list)}
        onArchive={(listEntry, archived) => void actions.archive(listEntry, archived)}
        onDelete={(listEntry) => (listEntry.members > 1 ? setDeleting(true) : void actions.remove(listEntry))}
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
              void actions.remove(entry);
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
            onLeave={() => actions.goOut(entry)}
          />
        </Suspense>
      )}
    </div>
  );
}
