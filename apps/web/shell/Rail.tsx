import { IconCommand } from '@tabler/icons-react';
import { useLocation } from 'react-router';
import { findPage } from '#platform/web/app/navigation.ts';
import { useWebSite } from '#platform/web/app/site.ts';
import { useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { Logo } from '#platform/web/page/Mark.tsx';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { AccountMenu } from './AccountMenu.tsx';
import { overlayStore } from './overlayState.ts';
import { PINNED_KEY, parsePinnedPaths } from './pinned.ts';
import styles from './Rail.module.css';

/** The wide layout's tools at the left. */
export function Rail({ wide, username }: { readonly wide: boolean; readonly username: string | undefined }) {
  const { pages } = useWebSite();
  const { pathname } = useLocation();
  const [pinned] = useBrowserStorage(PINNED_KEY);
  const shown = ['/pagerouter', ...parsePinnedPaths(pinned)].flatMap((path) => findPage(pages, path) ?? []);
  const marked = shown.some(({ path }) => path === pathname) ? pathname : findPage(pages, pathname)?.within;
  return (
    <nav className={styles['rail']} aria-label="Tools" data-wide={wide || undefined}>
      <PageLink to="/" className={styles['logo']} aria-label="Home" title="Home">
        <Logo size={28} />
        {wide && <span>Pegboard</span>}
      </PageLink>
      {shown.map(({ path, title, key, icon: Icon }) => (
        <PageLink
          key={path}
          to={path}
          className={styles['item']}
          aria-label={title}
          title={key === undefined ? title : `${title}  g ${key}`}
          {...(marked === path ? { 'aria-current': path === pathname ? ('page' as const) : true } : {})}
        >
          <Icon size={22} stroke={1.75} />
          {wide && <span>{title}</span>}
        </PageLink>
      ))}
      <span className={styles['space']} />
      <button
        type="button"
        className={styles['item']}
        aria-label="Keyboard shortcuts"
        title="Shortcuts  ?"
        onClick={() => overlayStore.show('shortcuts')}
      >
        <IconCommand size={22} stroke={1.75} />
        {wide && <span>Shortcuts</span>}
      </button>
      <AccountMenu username={username} />
    </nav>
  );
}
