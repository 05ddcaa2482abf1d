import { Menu } from '@mantine/core';
import { IconAlignLeft, IconArrowBackUp, IconCheck, IconDownload, IconList } from '@tabler/icons-react';
import { PageMenu } from '#platform/web/page/PageMenu.tsx';

const icon = { size: 16, stroke: 1.75 };

interface PasteMenuProps {
  readonly dollar: boolean;
  readonly setDollar: (on: boolean) => void;
  readonly hasText: boolean;
  readonly hasAside: boolean;
  /** The address of the raw view, where the server has the text. */
  readonly rawPath: string | undefined;
  readonly showRaw: () => void;
  readonly save: () => void;
  readonly bringBack: () => void;
  readonly showMine: () => void;
}

/** What the page can do besides. */
export function PasteMenu(props: PasteMenuProps) {
  const { dollar, setDollar, hasText, hasAside, rawPath, showRaw, save, bringBack, showMine } = props;
  return (
    <PageMenu label="Menu of Pastebin" width={250}>
      <Menu.Item leftSection={<IconList {...icon} />} onClick={showMine}>
        Your pieces
      </Menu.Item>
      {hasAside ? (
        <Menu.Item leftSection={<IconArrowBackUp {...icon} />} onClick={bringBack}>
          Bring back what I typed
        </Menu.Item>
      ) : null}
      {rawPath === undefined ? (
        <Menu.Item leftSection={<IconAlignLeft {...icon} />} disabled={!hasText} onClick={showRaw}>
          Raw view
        </Menu.Item>
      ) : (
        <Menu.Item
          component="a"
          href={rawPath}
          target="_blank"
          rel="noopener"
          leftSection={<IconAlignLeft {...icon} />}
        >
          Raw view
        </Menu.Item>
      )}
      <Menu.Item leftSection={<IconDownload {...icon} />} disabled={!hasText} onClick={save}>
        Save as a file
      </Menu.Item>
      <Menu.Divider />
      <Menu.CheckboxItem
        checked={dollar}
        checkIcon={<IconCheck {...icon} />}
        closeMenuOnClick={false}
        onChange={setDollar}
      >
        The $ key submits
      </Menu.CheckboxItem>
    </PageMenu>
  );
}
