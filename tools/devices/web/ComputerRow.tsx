import { IconDeviceDesktop, IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { formatMoment, formatDate } from '#platform/web/browser/formats.ts';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { NameForm } from '#platform/web/ui/NameForm.tsx';
import type { DeviceDetails } from '../contract.ts';
import { Abilities } from './Abilities.tsx';
import styles from './DevicesPanel.module.css';

interface RowActionsProps {
  readonly name: string;
  readonly onRename: () => void;
  /** Label of the button that removes the device. */
  readonly removeLabel: 'Remove' | 'Revoke';
  readonly onRemove: () => void;
}

/** The buttons that rename and remove a device. */
export function RowActions({ name, onRename, removeLabel, onRemove }: RowActionsProps) {
  return (
    <div className={styles['actions']}>
      <IconButton label={`Rename ${name}`} onClick={onRename}>
        <IconPencil size={18} stroke={1.75} />
      </IconButton>
      <ConfirmButton
        size="compact-md"
        confirmLabel={`Confirm ${removeLabel}`}
        aria-label={`${removeLabel} ${name}`}
        onConfirm={onRemove}
      >
        {removeLabel}
      </ConfirmButton>
    </div>
  );
}

function getTone(state: string): 'green' | 'plain' | 'orange' {
  if (state === 'Connected') return 'green';
  return state === 'Disconnected' ? 'plain' : 'orange';
}

/** The state of a device as a dot and a word. */
export function StateBadge({ state }: { readonly state: string }) {
  return (
    <Badge tone={getTone(state)}>
      <span className={`${styles['dot']} dot`} data-hollow={state === 'Disconnected' || undefined} />
      {state}
    </Badge>
  );
}

/** The system of computers that an import created. */
const IMPORT_SYSTEM = 'ActivityWatch';

/** Formats 'connected now, paired 02-11-2026', or when the device was last seen. */
function formatPresence({ state, paired, lastSeen, system }: DeviceDetails): string {
  if (state === 'Connected') return `connected now, paired ${formatDate(paired)}`;
  // No agent ever ran there; its screen time was imported.
  if (lastSeen === undefined && system === IMPORT_SYSTEM) return `imported ${formatDate(paired)}`;
  return lastSeen === undefined
    ? `never connected, paired ${formatDate(paired)}`
    : `last seen ${formatMoment(lastSeen)}`;
}

interface ComputerRowProps {
  readonly device: DeviceDetails;
  readonly onRename: (name: string) => void;
  readonly onRevoke: () => void;
}

/** A paired computer with state, system and abilities, which can be renamed and revoked. */
export function ComputerRow({ device, onRename, onRevoke }: ComputerRowProps) {
  const [isRenaming, setIsRenaming] = useState(false);
  const { name, state, system, version, abilities } = device;
  return (
    <article className={styles['device']} aria-label={name}>
      <span className={styles['icon']}>
        <IconDeviceDesktop size={22} stroke={1.75} />
      </span>
      <div className={styles['details']}>
        {isRenaming ? (
          <NameForm name={name} onRename={onRename} onClose={() => setIsRenaming(false)} />
        ) : (
          <div className={styles['title']}>
            <h3 dir="auto">{name}</h3>
            <StateBadge state={state} />
          </div>
        )}
        <p>{[system, version && `agent ${version}`].filter(Boolean).join(', ')}</p>
        <p className={`${styles['faint']} num`}>{formatPresence(device)}</p>
      </div>
      <RowActions name={name} onRename={() => setIsRenaming(true)} removeLabel="Revoke" onRemove={onRevoke} />
      <div className={styles['abilities']}>
        <Abilities abilities={abilities} />
      </div>
    </article>
  );
}
