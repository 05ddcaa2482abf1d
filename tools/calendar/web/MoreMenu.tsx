import { Menu } from '@mantine/core';
import { IconCalendarDown, IconDeviceMobile, IconTrash } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { PageMenu } from '#platform/web/page/PageHeader.tsx';
import type { Icon } from '#platform/web/tool.ts';
import type { CalendarViewProps } from './selection.ts';

const ConnectDialog = lazyPart(async () => (await import('./connect/ConnectDialog.tsx')).ConnectDialog);
const BinDialog = lazyPart(async () => (await import('./BinDialog.tsx')).BinDialog);

/** `import` is a part of `connect`. */
export type DialogName = 'connect' | 'import' | 'bin';

interface DialogsProps extends Pick<CalendarViewProps, 'onSelect'> {
  readonly openDialog: DialogName | undefined;
  readonly onClose: () => void;
}

/** The dialogs of the 'More' menu, loaded when they are first opened. */
export function Dialogs({ openDialog, onClose, onSelect }: DialogsProps) {
  const [loadedDialogs, setLoadedDialogs] = useState<readonly DialogName[]>([]);
  const dialog = openDialog === 'import' ? 'connect' : openDialog;
  if (dialog !== undefined && !loadedDialogs.includes(dialog)) setLoadedDialogs([...loadedDialogs, dialog]);
  return (
    <Suspense>
      {loadedDialogs.includes('connect') && (
        <ConnectDialog isOpen={dialog === 'connect'} startsAtImport={openDialog === 'import'} onClose={onClose} />
      )}
      {loadedDialogs.includes('bin') && (
        <BinDialog isOpen={openDialog === 'bin'} onClose={onClose} onSelect={onSelect} />
      )}
    </Suspense>
  );
}

/** Rarely used actions: in a menu of the header, and in narrow windows also below the rails. */
export const MORE_ACTIONS = [
  { dialog: 'import', name: 'Import a file', icon: IconCalendarDown },
  { dialog: 'connect', name: 'Phones and other calendars', icon: IconDeviceMobile },
  { dialog: 'bin', name: 'Bin', icon: IconTrash },
] as const satisfies readonly { readonly dialog: DialogName; readonly name: string; readonly icon: Icon }[];

interface MoreMenuProps {
  readonly onOpenDialog: (dialog: DialogName) => void;
  /** The shell of a narrow window has another button 'More'. */
  readonly label?: string;
}

export function MoreMenu({ onOpenDialog, label = 'More' }: MoreMenuProps) {
  return (
    <PageMenu label={label} width={260}>
      {MORE_ACTIONS.map(({ dialog, name, icon: Icon }) => (
        <Menu.Item key={dialog} leftSection={<Icon size={16} stroke={1.75} />} onClick={() => onOpenDialog(dialog)}>
          {name}
        </Menu.Item>
      ))}
    </PageMenu>
  );
}
