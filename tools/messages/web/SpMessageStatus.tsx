import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import type { Status } from './useSpMessage.ts';
import styles from './SpMessagePage.module.css';

/** What the server answered, as it stands, or why there is no answer. */
export function SpMessageStatus({ status }: { readonly status: Status | undefined }) {
  return (
    <div className={styles['status']} role="status" data-kind={status?.isDone === true ? 'good' : 'bad'}>
      {status === undefined ? null : (
        <>
          {status.isDone ? <IconCheck size={18} stroke={2} /> : <IconAlertTriangle size={18} stroke={1.75} />}
          <span>
            {status.text}
            {status.more === undefined ? null : <small>{status.more}</small>}
          </span>
        </>
      )}
    </div>
  );
}
