import { Button, Menu } from '@mantine/core';
import { IconHash, IconAlignLeft, IconArrowBackUp, IconCheck, IconDownload, IconList } from '@tabler/icons-react';
import { useState } from 'react';
import { toSitePath } from '#platform/web/browser/siteAddress.ts';
import { useIsNarrow } from '#platform/web/browser/useIsNarrow.ts';
import { PageMenu } from '#platform/web/page/PageHeader.tsx';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import styles from './PasteHeader.module.css';

const MENU_ICON = { size: 16, stroke: 1.75 };

interface PasteMenuProps {
  readonly submitsWithDollar: boolean;
  readonly onSubmitsWithDollarChange: (isOn: boolean) => void;
  readonly hasText: boolean;
  readonly hasStash: boolean;
  /** The address of the server's raw view; undefined if the server doesn't have the text or can't read it. */
  readonly rawPath: string | undefined;
  readonly onViewRaw: () => void;
  readonly onDownload: () => void;
  readonly onRestoreDraft: () => void;
  readonly onShowMyPastes: () => void;
}

/** The menu of the page. */
export function PasteMenu(props: PasteMenuProps) {
  const { submitsWithDollar, onSubmitsWithDollarChange, hasText, hasStash, rawPath } = props;
  return (
    <PageMenu label="Pastebin menu" width={250}>
      <Menu.Item leftSection={<IconList {...MENU_ICON} />} onClick={props.onShowMyPastes}>
        Your pastes
      </Menu.Item>
      {hasStash ? (
        <Menu.Item leftSection={<IconArrowBackUp {...MENU_ICON} />} onClick={props.onRestoreDraft}>
          Restore draft
        </Menu.Item>
      ) : null}
      {rawPath === undefined ? (
        <Menu.Item leftSection={<IconAlignLeft {...MENU_ICON} />} disabled={!hasText} onClick={props.onViewRaw}>
          View raw text
        </Menu.Item>
      ) : (
        <Menu.Item
          component="a"
          href={toSitePath(rawPath)}
          target="_blank"
          rel="noopener"
          leftSection={<IconAlignLeft {...MENU_ICON} />}
        >
          View raw text
        </Menu.Item>
      )}
      <Menu.Item leftSection={<IconDownload {...MENU_ICON} />} disabled={!hasText} onClick={props.onDownload}>
        Download as file
      </Menu.Item>
      <Menu.Divider />
      <Menu.CheckboxItem
        checked={submitsWithDollar}
        checkIcon={<IconCheck {...MENU_ICON} />}
        closeMenuOnClick={false}
        onChange={onSubmitsWithDollarChange}
      >
        Submit with the $ key
      </Menu.CheckboxItem>
    </PageMenu>
  );
}

function CodeForm({ onOpen, size }: { readonly onOpen: (input: string) => void; readonly size: 'small' | 'large' }) {
  const [input, setInput] = useState('');
  return (
    <Form
      className={styles['form']}
      data-size={size}
      onSubmit={() => {
        onOpen(input);
        setInput('');
      }}
    >
      <span className={`${styles['field']} icon-field`}>
        <IconHash size={15} stroke={1.75} />
        <input
          id="paste-code"
          aria-label="Code"
          placeholder="Code or link"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          enterKeyHint="go"
          value={input}
          onChange={(event) => setInput(event.currentTarget.value)}
        />
      </span>
      <Button type="submit" {...(size === 'small' ? { size: 'compact-md' } : {})}>
        Open
      </Button>
    </Form>
  );
}

interface CodeFieldProps {
  readonly onOpen: (input: string) => void;
  readonly isDialogOpen: boolean;
  readonly onDialogOpenChange: (isDialogOpen: boolean) => void;
}

/** A field that opens a paste by its code. On narrow windows it is in a dialog. */
export function CodeField({ onOpen, isDialogOpen, onDialogOpenChange }: CodeFieldProps) {
  const isNarrow = useIsNarrow();
  if (!isNarrow) return <CodeForm onOpen={onOpen} size="small" />;
  return (
    <>
      <IconButton label="Open a paste" size={44} onClick={() => onDialogOpenChange(true)}>
        <IconHash size={20} stroke={1.75} />
      </IconButton>
      <Dialog title="Open a paste" isOpen={isDialogOpen} onClose={() => onDialogOpenChange(false)}>
        <CodeForm
          size="large"
          onOpen={(input) => {
            onDialogOpenChange(false);
            onOpen(input);
          }}
        />
      </Dialog>
    </>
  );
}
