import { IconAlertTriangle, IconCircleCheck, IconInfoCircle, IconX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { notices, type Notice } from '../app/notices.ts';
import { toSitePath } from '../browser/siteAddress.ts';
import { useStore } from '../store.ts';
import { IconButton } from '../ui/IconButton.tsx';
import styles from './NoticeStack.module.css';

const SUCCESS_TIMEOUT_MS = 5000;
/** Notices with a button need more time for a decision. */
const ACTION_TIMEOUT_MS = 10_000;
const icons = { bad: IconAlertTriangle, good: IconCircleCheck, info: IconInfoCircle };

function NoticeItem({ notice }: { readonly notice: Notice }) {
  const [isPaused, setIsPaused] = useState(false);
  useEffect(() => {
    if (notice.kind !== 'good' || isPaused) return undefined;
    const timer = setTimeout(() => notices.dismiss(notice.id), notice.action ? ACTION_TIMEOUT_MS : SUCCESS_TIMEOUT_MS);
    return () => clearTimeout(timer);
  }, [notice, isPaused]);
  const { action } = notice;
  const Icon = icons[notice.kind];
  return (
    <div
      className={`${styles['notice']} popup`}
      data-kind={notice.kind}
      role={notice.kind === 'bad' ? 'alert' : 'status'}
      onMouseEnter={() => setIsPaused(true)}
      onMouseLeave={() => setIsPaused(false)}
      onFocus={() => setIsPaused(true)}
      onBlur={() => setIsPaused(false)}
    >
      <Icon size={18} stroke={1.75} aria-hidden />
      <p dir="auto">
        {notice.text}
        {notice.link ? (
          <>
            {' '}
            <a
              href={notice.link.href.startsWith('/') ? toSitePath(notice.link.href) : notice.link.href}
              style={{ textDecoration: 'underline' }}
            >
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

/** Shows all notices, newest first. `inPage` puts it into the page (`/`, `/login`) instead of floating over it. */
export function NoticeStack({ inPage = false }: { readonly inPage?: boolean }) {
  const shownNotices = useStore({ get: notices.getShown, subscribe: notices.subscribe });
  return (
    <div className={styles[inPage ? 'inPage' : 'floating']} role="region" aria-label="Notices">
      {shownNotices.map((notice) => (
        <NoticeItem key={notice.id} notice={notice} />
      ))}
    </div>
  );
}
