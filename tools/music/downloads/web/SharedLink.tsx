import { Button } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { createNavigationState } from '#platform/web/app/navigation.ts';
import { findSharedLinks } from '../domain/link.ts';
import { queueLinks } from './queueLinks.ts';
import styles from './SharedLink.module.css';

/** Query parameters for content that another app shares (apps/web/public/manifest.webmanifest). */
const PARAMS = ['url', 'text', 'title'] as const;

/** Returns whether the page was opened to share a link, which the user must handle first. */
export function useIsShared(): boolean {
  const [search] = useSearchParams();
  return PARAMS.some((name) => search.has(name));
}

/**
 * A link that another app shared. It is queued by a button and not by the address alone, because any site can link
 * here.
 */
export function SharedLink() {
  const [search, setSearch] = useSearchParams();
  if (!PARAMS.some((name) => search.has(name))) return null;
  const links = findSharedLinks(Object.fromEntries(PARAMS.map((name) => [name, search.get(name)])));
  function close(): void {
    const rest = new URLSearchParams(search);
    for (const name of PARAMS) rest.delete(name);
    setSearch(rest, { replace: true, state: createNavigationState() });
  }
  function download(): void {
    close();
    void queueLinks(links.join('\n'));
  }
  return (
    <section className={styles['shared']} aria-label="Shared with Pegboard">
      <p className={styles['text']}>
        {links.length === 0 ? 'The shared text contains no link' : 'Shared with Pegboard'}
        {links.map((link) => (
          <b key={link} className="ellipsis" dir="ltr">
            {link}
          </b>
        ))}
      </p>
      <div className={styles['actions']}>
        {links.length > 0 && (
          <Button variant="primary" onClick={download}>
            Download
          </Button>
        )}
        <Button onClick={close}>{links.length === 0 ? 'Close' : 'Not now'}</Button>
      </div>
    </section>
  );
}
