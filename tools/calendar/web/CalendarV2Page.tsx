import { useSession } from '#platform/web/app/session.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import styles from './CalendarV2Page.module.css';

/** A placeholder that shows the token (docs/specification/calendar.md section 1.4). */
export default function CalendarV2Page() {
  const token = useSession()?.token ?? '';
  return (
    <>
      <PageHeader />
      <p className={styles['text']}>
        Calendar v2 is a placeholder. Your token: <code>{token}</code>
      </p>
      <PageLink to="/calendar">Go to the calendar</PageLink>
    </>
  );
}
