import { IconDeviceMobile, IconWorld } from '@tabler/icons-react';
import { useState } from 'react';
import { formatMoment } from '#platform/web/browser/formats.ts';
import { NameForm } from '#platform/web/ui/NameForm.tsx';
import type { DeviceDetails } from '../contract.ts';
import { StateBadge } from './ComputerRow.tsx';
import { RowActs } from './RowActs.tsx';
import styles from './DevicesPanel.module.css';

interface BrowserRowProps {
  readonly device: DeviceDetails;
  readonly rename: (name: string) => void;
  readonly remove: () => void;
}

const seen = ({ state, lastSeen, paired }: DeviceDetails): string =>
  state === 'Connected' ? 'messages open now' : `last seen ${formatMoment(lastSeen ?? paired)}`;

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
          <NameForm name={name} onRename={rename} onClose={() => setRenaming(false)} />
        ) : (
          <span dir="auto">{name}</span>
        )}
        <small className="num">{seen(device)}</small>
      </span>
      <StateBadge state={state} />
      <RowActs name={name} rename={() => setRenaming(true)} removal="Remove" remove={remove} />
    </article>
  );
}
