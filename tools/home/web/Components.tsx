import { Button, Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { IconBell, IconDeviceDesktop, IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { notices } from '#platform/web/app/notices.ts';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { Card } from '#platform/web/ui/Card.tsx';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { CopyButton } from '#platform/web/ui/CopyButton.tsx';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { Dropdown } from '#platform/web/ui/Dropdown.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { Image } from '#platform/web/ui/Image.tsx';
import { Keys } from '#platform/web/ui/Keys.tsx';
import styles from './Components.module.css';

const devices = [
  { value: '1', label: 'workstation', note: 'Connected', dot: 'var(--green)' },
  { value: '2', label: 'media box', note: 'Reconnecting', dot: 'var(--orange)' },
  { value: '3', label: 'laptop', note: 'Disconnected', dot: 'hollow', disabled: 'not connected' },
];
const many = [...devices, ...['four', 'five', 'six', 'seven'].map((name) => ({ value: name, label: name }))];

function Dialogs() {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button onClick={() => setOpened(true)}>Open a dialog</Button>
      <Dialog title="A dialog" isOpen={opened} onClose={() => setOpened(false)}>
        <TextInput label="First field" data-autofocus />
      </Dialog>
    </>
  );
}

/** Shows all shared components in all states, for people and for tests. */
export function Components() {
  const [device, setDevice] = useState('1');
  const [confirmed, setConfirmed] = useState(0);
  return (
    <div className={styles['all']}>
      <Card title="Buttons">
        <div className={styles['row']}>
          <Button variant="primary">Primary</Button>
          <Button>Default</Button>
          <Button variant="subtle">Quiet</Button>
          <Button loading>Busy</Button>
          <Button disabled>Disabled</Button>
          <ConfirmButton confirmLabel="Confirm Delete" onConfirm={() => setConfirmed(confirmed + 1)}>
            Delete
          </ConfirmButton>
          <span role="status">confirmed {confirmed} times</span>
        </div>
        <div className={styles['row']}>
          <IconButton label="Edit workstation">
            <IconPencil size={18} stroke={1.75} />
          </IconButton>
          <CopyButton text="a text to copy" />
          <Keys keys="Mod+K" />
          <Keys keys="g d" />
        </div>
      </Card>
      <Card title="Fields" aside="and choices">
        <div className={styles['fields']}>
          <TextInput label="Text" placeholder="Placeholder" />
          <TextInput label="Refused" error="Enter a username" />
          <PasswordInput label="Password" />
          <Checkbox label="Stay logged in" defaultChecked />
          <Dropdown label="Connected device" options={devices} value={device} onSelect={setDevice} />
          <Dropdown label="Many" options={many} placeholder="Choose a file" onSelect={() => undefined} />
        </div>
      </Card>
      <Card title="Badges">
        <div className={styles['row']}>
          <Badge>plain</Badge>
          <Badge tone="green">green</Badge>
          <Badge tone="blue">blue</Badge>
          <Badge tone="red">red</Badge>
          <Badge tone="teal">teal</Badge>
          <Badge tone="orange">orange</Badge>
          <Badge tone="brass">brass</Badge>
          <Badge tone="accent">accent</Badge>
        </div>
      </Card>
      <Card title="Notices and dialogs">
        <div className={styles['row']}>
          <Button onClick={() => notices.add('bad', 'device did not answer')}>Bad</Button>
          <Button onClick={() => notices.add('good', 'Saved')}>Good</Button>
          <Button onClick={() => notices.add('info', 'You are logged out in this browser')}>Info</Button>
          <Dialogs />
        </div>
      </Card>
      <Card title="Pictures" danger>
        <Image src="/images/none.png" alt="Nothing" width={120} height={80} />
      </Card>
      <EmptyState icon={IconBell} text="One sentence says what appears here">
        <Button leftSection={<IconDeviceDesktop size={16} />}>Create the first one</Button>
      </EmptyState>
    </div>
  );
}
