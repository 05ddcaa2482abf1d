import { TextInput } from '@mantine/core';
import { IconLock, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useSession } from '#platform/web/app/session.ts';
import { useWebSite } from '#platform/web/app/site.ts';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { overlayStore } from './overlayState.ts';
import styles from './MorePages.module.css';

/** The bottom bar's sheet of all pages. */
export function PagesSheet({ opened }: { readonly opened: boolean }) {
  const { pages } = useWebSite();
  const signedIn = useSession() !== undefined;
  const [wanted, setWanted] = useState('');
  const close = (): void => {
    overlayStore.close();
    setWanted('');
  };
  const found = pages.filter(({ path, title, card }) =>
    `${title} ${path} ${card?.title ?? ''}`.toLowerCase().includes(wanted.trim().toLowerCase()),
  );
  return (
    <Dialog title="All pages" isOpen={opened} onClose={close}>
      <TextInput
        aria-label="Search pages"
        placeholder="Search"
        leftSection={<IconSearch size={16} stroke={1.75} />}
        value={wanted}
        onChange={(event) => setWanted(event.currentTarget.value)}
      />
      <ul className={styles['pages']}>
        {found.map(({ path, title, needsLogin, icon: Icon }) => (
          <li key={path}>
            <PageLink to={path} onClick={close}>
              <Icon size={20} stroke={1.75} />
              <span className="ellipsis">{title || path}</span>
              {needsLogin && !signedIn && <IconLock size={14} stroke={1.75} aria-label="needs login" />}
            </PageLink>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p role="status">No page is called that.</p>}
    </Dialog>
  );
}
