import { IconDeviceMobile, IconPencil, IconWorld } from '@tabler/icons-react';
import { useState } from 'react';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { moment } from '#platform/web/when.ts';
import type { DeviceDetails } from '../contract.ts';
import { StateBadge } from './ComputerRow.tsx';
import { NameForm } from './NameForm.tsx';
import styles from './DevicesPanel.module.css';

interface BrowserRowProps {
  readonly device: DeviceDetails;
  readonly rename: (name: string) => void;
  readonly remove: () => void;
}

const seen = ({ state, lastSeen, paired }: DeviceDetails): string =>
  state === 'Connected' ? 'messages open now' : `last seen ${moment(lastSeen ?? paired)}`;

/** A browser in which the messages screen was opened: renaming and removing it. */
export function BrowserRow({ device, rename, remove }: BrowserRowProps) {
  const [renaming, setRenaming] = useState(false);
  const { name, state } = device;
  const Icon = /Android|iOS|phone/i.test(name) ? IconDeviceMobile : IconWorld;
  return (
    <article className={styles['line']} aria-label={name}>
      <Icon size={18} stroke={1.75} />
      <span className={styles['what']}>
        {renaming ? (
          <NameForm
            name={name}
            cancel={() => setRenaming(false)}
            save={(next) => {
              setRenaming(false);
              if (next !== name) rename(next);
            }}
          />
        ) : (
          <span dir="auto">{name}</span>
        )}
        <small className="num">{seen(device)}</small>
      </span>
      <StateBadge state={state} />
      <span className={styles['acts']}>
        <IconButton label={`Rename ${name}`} onClick={() => setRenaming(true)}>
          <IconPencil size={18} stroke={1.75} />
        </IconButton>
        <ConfirmButton size="compact-md" confirm="Confirm Remove" aria-label={`Remove ${name}`} onConfirm={remove}>
          Remove
        </ConfirmButton>
      </span>
    </article>
  );
}
