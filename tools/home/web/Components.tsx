import { Button, Checkbox, Menu, PasswordInput, TextInput } from '@mantine/core';
import { IconBell, IconCloudOff, IconDeviceDesktop, IconLock, IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { notices } from '#platform/web/app/notices.ts';
import { toSitePath } from '#platform/web/browser/siteAddress.ts';
import { PageMenu } from '#platform/web/page/PageHeader.tsx';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { Card } from '#platform/web/ui/Card.tsx';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { CopyButton, OneTimeSecret } from '#platform/web/ui/CopyButton.tsx';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { Dropdown } from '#platform/web/ui/Dropdown.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { Image } from '#platform/web/ui/Image.tsx';
import { Keys } from '#platform/web/ui/Keys.tsx';
import { CharacterCount, SendButton, NamedIcon } from '#platform/web/ui/MessageParts.tsx';
import { NameForm } from '#platform/web/ui/NameForm.tsx';
import { Popover } from '#platform/web/ui/Popover.tsx';
import { QrCode } from '#platform/web/ui/QrCode.tsx';
import { QueryState } from '#platform/web/ui/QueryState.tsx';
import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import { Slider } from '#platform/web/ui/Slider.tsx';
import { Steps } from '#platform/web/ui/Steps.tsx';
import { Switch } from '#platform/web/ui/Switch.tsx';
import styles from './Components.module.css';

const deviceOptions = [
  { value: '1', label: 'workstation', note: 'Connected', dot: 'var(--green)' },
  { value: '2', label: 'media box', note: 'Reconnecting', dot: 'var(--orange)' },
  { value: '3', label: 'laptop', note: 'Disconnected', dot: 'hollow', disabledReason: 'not connected' },
];
const manyOptions = [
  ...deviceOptions,
  ...['four', 'five', 'six', 'seven'].map((name) => ({ value: name, label: name })),
];

function DialogSamples() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Open a dialog</Button>
      <Dialog title="A dialog" isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <TextInput label="First field" data-autofocus />
      </Dialog>
    </>
  );
}

const viewOptions = [
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
  { value: 'year', label: 'Year', disabledReason: 'not available' },
] as const;

function ChoiceSamples() {
  const [view, setView] = useState<string>('day');
  const [isOn, setIsOn] = useState(true);
  const [volume, setVolume] = useState(40);
  return (
    <Card title="Choices">
      <div className={styles['row']}>
        <SegmentedControl label="View" options={viewOptions} value={view} onSelect={setView} />
        <SegmentedControl label="Disabled view" options={viewOptions} value="week" disabled onSelect={setView} />
      </div>
      <div className={styles['row']}>
        <Switch label="Notifications" isOn={isOn} onChange={setIsOn} />
        <Switch label="Off" isOn={false} onChange={() => undefined} />
        <Switch label="Disabled and on" isOn disabled onChange={() => undefined} />
        <Switch label="Disabled and off" isOn={false} disabled onChange={() => undefined} />
      </div>
      <div className={styles['fields']}>
        <Slider label="Volume" value={volume} aria-valuetext={`${volume} percent`} onChange={setVolume} />
        <Slider label="Disabled volume" value={70} disabled />
      </div>
    </Card>
  );
}

const failedQuery = { data: undefined, error: new Error('Could not reach the server'), refetch: () => undefined };
const pendingQuery = { data: undefined, error: null, refetch: () => undefined };

function QuerySamples() {
  return (
    <Card title="Queries">
      <div className={styles['samples']}>
        <QueryState query={failedQuery} />
        <QueryState query={failedQuery} icon={IconCloudOff} />
        <QueryState query={pendingQuery} loading={<p role="status">Loading</p>} />
      </div>
    </Card>
  );
}

function TextSamples() {
  const [name, setName] = useState('workstation');
  const [isRenaming, setIsRenaming] = useState(false);
  return (
    <Card title="Texts and messages">
      <div className={styles['row']}>
        {isRenaming ? (
          <NameForm name={name} onRename={setName} onClose={() => setIsRenaming(false)} />
        ) : (
          <Button onClick={() => setIsRenaming(true)}>Rename {name}</Button>
        )}
        <NamedIcon icon={IconLock} name="Encrypted" className={undefined} />
        <SendButton text="A text to send" />
        <SendButton text="" />
      </div>
      {[
        ['components-count', 'Short'],
        ['components-over', 'a'.repeat(201)],
      ].map(([id = '', text = '']) => (
        <div key={id} className={styles['withCount']}>
          <CharacterCount id={id} text={text} limit={200} />
        </div>
      ))}
      <Steps>
        <li>The first step</li>
        <li>The second step</li>
      </Steps>
      <OneTimeSecret text="example-secret" copyLabel="Take the secret">
        This password is shown only once
      </OneTimeSecret>
      <QrCode text="https://pegboard.example" size={120} />
    </Card>
  );
}

/** Shows all shared components in all states, for people and for tests. */
export function Components() {
  const [device, setDevice] = useState('1');
  const [confirmCount, setConfirmCount] = useState(0);
  return (
    <div className={styles['samples']}>
      <Card title="Buttons">
        <div className={styles['row']}>
          <Button variant="primary">Primary</Button>
          <Button>Default</Button>
          <Button variant="subtle">Quiet</Button>
          <Button loading>Busy</Button>
          <Button disabled>Disabled</Button>
          <ConfirmButton confirmLabel="Confirm Delete" onConfirm={() => setConfirmCount(confirmCount + 1)}>
            Delete
          </ConfirmButton>
          <span role="status">confirmed {confirmCount} times</span>
        </div>
        <div className={styles['row']}>
          <IconButton label="Edit workstation">
            <IconPencil size={18} stroke={1.75} />
          </IconButton>
          <CopyButton text="a text to copy" />
          <Keys keys="Mod+K" />
          <Keys keys="g d" />
          <IconButton label="Edit laptop" bordered disabled>
            <IconPencil size={18} stroke={1.75} />
          </IconButton>
          <Popover label="Popover" renderButton={(props) => <Button {...props}>Open a popover</Button>}>
            {(close) => <Button onClick={close}>Close the popover</Button>}
          </Popover>
          <PageMenu label="Page menu" width={200}>
            <Menu.Item>First action</Menu.Item>
            <Menu.Item disabled>Disabled action</Menu.Item>
          </PageMenu>
        </div>
      </Card>
      <Card title="Fields" aside="and choices">
        <div className={styles['fields']}>
          <TextInput label="Text" placeholder="Placeholder" />
          <TextInput label="Refused" error="Enter a username" />
          <PasswordInput label="Password" />
          <Checkbox label="Stay logged in" defaultChecked />
          <Dropdown label="Connected device" options={deviceOptions} value={device} onSelect={setDevice} />
          <Dropdown label="Many" options={manyOptions} placeholder="Choose a file" onSelect={() => undefined} />
        </div>
      </Card>
      <ChoiceSamples />
      <QuerySamples />
      <TextSamples />
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
          <DialogSamples />
        </div>
      </Card>
      <Card title="Pictures" danger>
        <Image src={toSitePath('/images/none.png')} alt="Nothing" width={120} height={80} />
      </Card>
      <EmptyState icon={IconBell} text="One sentence says what appears here">
        <Button leftSection={<IconDeviceDesktop size={16} />}>Create the first one</Button>
      </EmptyState>
    </div>
  );
}
