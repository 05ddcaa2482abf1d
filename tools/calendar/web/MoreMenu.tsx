import { Menu } from '@mantine/core';
import { IconCalendarDown, IconDeviceMobile, IconTrash } from '@tabler/icons-react';
import { PageMenu } from '#platform/web/page/PageMenu.tsx';
import type { Icon } from '#platform/web/tool.ts';
import type { DialogName } from './Dialogs.tsx';

/** What is done seldom: in a menu of the header, and on narrow windows below the dates too. */
export const more = [
  { dialog: 'import', name: 'Import a file', icon: IconCalendarDown },
  { dialog: 'connect', name: 'Phones and other calendars', icon: IconDeviceMobile },
  { dialog: 'bin', name: 'Bin', icon: IconTrash },
] as const satisfies readonly { readonly dialog: DialogName; readonly name: string; readonly icon: Icon }[];

interface MoreMenuProps {
  readonly ask: (dialog: DialogName) => void;
  /** The frame of a narrow window has another button 'More'. */
  readonly label?: string;
}

export function MoreMenu({ ask, label = 'More' }: MoreMenuProps) {
  return (
    <PageMenu label={label} width={260}>
      {more.map(({ dialog, name, icon: Icon }) => (
        <Menu.Item key={dialog} leftSection={<Icon size={16} stroke={1.75} />} onClick={() => ask(dialog)}>
          {name}
        </Menu.Item>
      ))}
    </PageMenu>
  );
}
