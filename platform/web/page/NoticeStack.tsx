import { IconAlertTriangle, IconCircleCheck, IconInfoCircle, IconX } from '@tabler/icons-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { notices, type Notice } from '../app/notices.ts';
import { IconButton } from '../ui/IconButton.tsx';
import styles from './NoticeStack.module.css';

const SUCCESS_TIMEOUT_MS = 5000;
/** One with a button is to be read, and decided on. */
const ACTION_TIMEOUT_MS = 10_000;
const icons = { bad: IconAlertTriangle, good: IconCircleCheck, info: IconInfoCircle };

function NoticeItem({ notice }: { readonly notice: Notice }) {
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (notice.kind !== 'good' || held) return undefined;
    const leave = setTimeout(() => notices.dismiss(notice.id), notice.action ? ACTION_TIMEOUT_MS : SUCCESS_TIMEOUT_MS);
    return () => clearTimeout(leave);
  }, [notice, held]);
  const { action } = notice;
  const Icon = icons[notice.kind];
  return (
    <div
      className={styles['notice']}
      data-kind={notice.kind}
      role={notice.kind === 'bad' ? 'alert' : 'status'}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon size={18} stroke={1.75} aria-hidden />
      <p dir="auto">
        {notice.text}
        {notice.link ? (
          <>
            {' '}
            <a href={notice.link.href} style={{ textDecoration: 'underline' }}>
              {notice.link.label}
            </a>
          </>
        ) : null}
      </p>
      {action && (
        <button
          type="button"
          className={styles['action']}
          onClick={() => {
            notices.dismiss(notice.id);
            action.run();
          }}
        >
          {action.label}
        </button>
      )}
      <IconButton label="Dismiss" size={28} onClick={() => notices.dismiss(notice.id)}>
        <IconX size={15} stroke={1.75} />
      </IconButton>
    </div>
  );
}

/** All notices, newest first. `inPage` where it stands in the page (`/`, `/login`) and not over it. */
export function NoticeStack({ inPage = false }: { readonly inPage?: boolean }) {
  const shown = useSyncExternalStore(notices.subscribe, notices.getShown);
  return (
    <div className={styles[inPage ? 'inPage' : 'floating']} role="region" aria-label="Notices">
      {shown.map((notice) => (
        <NoticeItem key={notice.id} notice={notice} />
      ))}
    </div>
  );
}
