import { BareHeader } from '#platform/web/page/BareHeader.tsx';
import { PageButton } from '#platform/web/page/PageButton.tsx';
import styles from './Fallback.module.css';

/** Any address that is no page of ours (specification 1, section 2). */
export function NotFoundPage() {
  return (
    <div className={`${styles['page']} holes`}>
      <BareHeader />
      <main className={styles['main']}>
        <div className={`${styles['card']} hung`}>
          <h1>Not Found :(</h1>
          <p>There is no page at this address.</p>
          <PageButton to="/" variant="primary">
            home
          </PageButton>
        </div>
      </main>
    </div>
  );
}
