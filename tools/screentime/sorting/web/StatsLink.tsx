import { PageLink } from '#platform/web/page/PageLink.tsx';
import styles from './StatsLink.module.css';

/** The way to what is measured. */
export function StatsLink() {
  return (
    <PageLink to="/graphyv2" className={styles['stats']}>
      View logging stats
    </PageLink>
  );
}
