import { Button } from '@mantine/core';
import { useEffect } from 'react';
import { PageButton } from '#platform/web/page/PageButton.tsx';
import styles from './Fallback.module.css';

const TITLE = 'Unexpected Application Error!';

/** Stands in for a page that broke, and shows the error (specification 1, section 8). */
export function CrashPage({ error }: { readonly error: unknown }) {
  useEffect(() => {
    document.title = TITLE;
  }, []);
  return (
    <div className={styles['main']}>
      <div className={`${styles['card']} hung`} role="alert">
        <h1>{TITLE}</h1>
        <pre>{error instanceof Error ? `${error.name}: ${error.message}` : String(error)}</pre>
        <div className={styles['row']}>
          <Button variant="primary" onClick={() => location.reload()}>
            Reload
          </Button>
          <PageButton to="/">home</PageButton>
        </div>
      </div>
    </div>
  );
}
