import { Menu } from '@mantine/core';
import {
  IconArchive,
  IconArchiveOff,
  IconArrowBackUp,
  IconCheck,
  IconCopy,
  IconPrinter,
  IconSquareOff,
  IconTrash,
  IconUserPlus,
} from '@tabler/icons-react';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import { PageMenu } from '#platform/web/page/PageMenu.tsx';
import type { ListEntry } from '../plannerTypes.ts';
import styles from './ListMenu.module.css';

const icon = { size: 16, stroke: 1.75 };

interface ListMenuProps {
  readonly entry: ListEntry | undefined;
  readonly name: string;
  readonly isAwake: boolean;
  readonly isDoneHidden: boolean;
  /** Something of the list is ticked or counted. */
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

/** Needs the server, which does not know the list yet. */
const LATER = 'Once the list has been sent';

function Awake({ isAwake, onAwake }: Pick<ListMenuProps, 'isAwake' | 'onAwake'>) {
  if (!isSecureContext())
    return (
      <Menu.Label className={styles['needs'] ?? ''}>
        <HttpsHint>Keeping the screen on needs https</HttpsHint>
      </Menu.Label>
    );
  return (
    <Menu.CheckboxItem checked={isAwake} checkIcon={<IconCheck {...icon} />} onChange={onAwake}>
      Keep screen on
    </Menu.CheckboxItem>
  );
}

/** What can be done with the open list. */
export function ListMenu(props: ListMenuProps) {
  const { entry, name, isAwake, isDoneHidden, canUntick, canUndo, onAwake, onHideDone } = props;
  const { onUntickAll, onUndo, onShare, onDuplicate, onArchive, onDelete } = props;
  const isSent = entry?.id !== undefined;
  const later = isSent ? {} : { disabled: true, title: LATER };
  const isArchived = entry?.isArchived === true;
  return (
    <PageMenu label={`Menu of ${name}`} width={232}>
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
        {isArchived ? 'Take out of the archive' : 'Archive'}
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
