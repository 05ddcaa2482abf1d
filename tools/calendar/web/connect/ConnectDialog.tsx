import type { ReactNode } from 'react';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { CalDav } from './CalDav.tsx';
import { Feed } from './Feed.tsx';
import { Import } from './Import.tsx';
import { Reminder } from './Reminder.tsx';
import { Subscriptions } from './Subscriptions.tsx';
import styles from './ConnectDialog.module.css';

interface ConnectDialogProps {
  readonly opened: boolean;
  /** It is opened for the sake of this part. */
  readonly startsAtImport: boolean;
  readonly onClose: () => void;
}

function Parts({ children }: { readonly children: ReactNode }) {
  return <div className={styles['parts']}>{children}</div>;
}

/** What the calendar gives to phones and other programs, and takes from them. */
export function ConnectDialog({ opened, startsAtImport, onClose }: ConnectDialogProps) {
  return (
    <Dialog title="Phones and other calendars" width={640} isOpen={opened} onClose={onClose}>
      <Parts>
        <Feed />
        <CalDav />
        <Subscriptions />
        <Import isFirst={startsAtImport} onClose={onClose} />
        <Reminder />
      </Parts>
    </Dialog>
  );
}
