import { IconPencil } from '@tabler/icons-react';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import styles from './DevicesPanel.module.css';

interface RowActsProps {
  readonly name: string;
  readonly rename: () => void;
  /** How it is called to take the device away. */
  readonly removal: 'Remove' | 'Revoke';
  readonly remove: () => void;
}

/** What can be done with a device of the list: renaming it, and taking it away. */
export function RowActs({ name, rename, removal, remove }: RowActsProps) {
  return (
    <div className={styles['acts']}>
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
