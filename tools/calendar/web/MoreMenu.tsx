import { Menu } from '@mantine/core';
import { IconDeviceMobile, IconTrash } from '@tabler/icons-react';
import type { Icon } from '#platform/web/tool.ts';
import { PageMenu } from '#platform/web/ui/PageMenu.tsx';
import type { Asked } from './Dialogs.tsx';

/** What is done seldom; on narrow windows it stands below the dates. */
export const more = [
  { dialog: 'connect', name: 'Phones and other calendars', icon: IconDeviceMobile },
  { dialog: 'bin', name: 'Bin', icon: IconTrash },
] as const satisfies readonly { readonly dialog: Asked; readonly name: string; readonly icon: Icon }[];

export function MoreMenu({ ask }: { readonly ask: (dialog: Asked) => void }) {
  return (
    <PageMenu label="More" width={260}>
      {more.map(({ dialog, name, icon: Icon }) => (
        <Menu.Item key={dialog} leftSection={<Icon size={16} stroke={1.75} />} onClick={() => ask(dialog)}>
          {name}
        </Menu.Item>
      ))}
    </PageMenu>
  );
}
