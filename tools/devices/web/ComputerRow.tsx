import { IconDeviceDesktop, IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { formatMoment, formatShortDate } from '#platform/web/browser/formats.ts';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { NameForm } from '#platform/web/ui/NameForm.tsx';
import type { DeviceDetails } from '../contract.ts';
import { Abilities } from './Abilities.tsx';
import styles from './DevicesPanel.module.css';

interface RowActionsProps {
  readonly name: string;
  readonly rename: () => void;
  /** Label of the button that removes the device. */
  readonly removal: 'Remove' | 'Revoke';
  readonly remove: () => void;
}

/** Buttons that rename and remove a device. */
export function RowActs({ name, rename, removal, remove }: RowActionsProps) {
  return (
    <div className={styles['actions']}>
      <IconButton label={`Rename ${name}`} onClick={rename}>
        <IconPencil size={18} stroke={1.75} />
      </IconButton>
      <ConfirmButton
        size="compact-md"
        confirmLabel={`Confirm ${removal}`}
        aria-label={`${removal} ${name}`}
        onConfirm={remove}
      >
        {removal}
      </ConfirmButton>
    </div>
  );
}

const getTone = (state: string): 'green' | 'plain' | 'orange' => {
  if (state === 'Connected') return 'green';
  return state === 'Disconnected' ? 'plain' : 'orange';
};

/** State of a device as a dot and a word. */
export function StateBadge({ state }: { readonly state: string }) {
  return (
    <Badge tone={getTone(state)}>
      <span className={styles['dot']} data-hollow={state === 'Disconnected' || undefined} />
      {state}
    </Badge>
  );
}

/** System of computers that an import created. */
const IMPORTED = 'ActivityWatch';

/** Formats the presence of a device: 'here now, paired 02-11-2026', or when it was last seen. */
const formatPresence = ({ state, paired, lastSeen, system }: DeviceDetails): string => {
  if (state === 'Connected') return `connected now, paired ${formatShortDate(paired)}`;
  // No agent ever ran there; its screen time was imported.
  if (lastSeen === undefined && system === IMPORTED) return `imported ${formatShortDate(paired)}`;
  return lastSeen === undefined
    ? `never connected, paired ${formatShortDate(paired)}`
    : `last seen ${formatMoment(lastSeen)}`;
};

interface ComputerRowProps {
  readonly device: DeviceDetails;
  readonly rename: (name: string) => void;
  readonly revoke: () => void;
}

/** A paired computer with state, system and abilities, which can be renamed and revoked. */
export function ComputerRow({ device, rename, revoke }: ComputerRowProps) {
  const [renaming, setRenaming] = useState(false);
  const { name, state, system, version, abilities } = device;
  return (
    <article className={styles['device']} aria-label={name}>
      <span className={styles['icon']}>
        <IconDeviceDesktop size={22} stroke={1.75} />
      </span>
      <div className={styles['details']}>
        {renaming ? (
          <NameForm name={name} onRename={rename} onClose={() => setRenaming(false)} />
        ) : (
          <div className={styles['title']}>
            <h3 dir="auto">{name}</h3>
            <StateBadge state={state} />
          </div>
        )}
        <p>{[system, version && `agent ${version}`].filter(Boolean).join(', ')}</p>
        <p className={`${styles['faint']} num`}>{formatPresence(device)}</p>
      </div>
      <RowActs name={name} rename={() => setRenaming(true)} removal="Revoke" remove={revoke} />
      <div className={styles['abilities']}>
        <Abilities abilities={abilities} />
      </div>
    </article>
  );
}
