import { IconDots } from '@tabler/icons-react';
import { useLocation } from 'react-router';
import { findPage } from '#platform/web/app/navigation.ts';
import { useWebSite } from '#platform/web/app/site.ts';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { overlayStore } from './overlayState.ts';
import styles from './BottomBar.module.css';

const shown = [
  { path: '/pagerouter', name: 'Pages' },
  { path: '/dashboard', name: 'Dashboard' },
  { path: '/mixer', name: 'Mixer' },
  { path: '/shopplanner', name: 'Planner' },
];

/** The narrow layout's tools under the thumb. */
export function BottomBar() {
  const { pages } = useWebSite();
  const { pathname } = useLocation();
  return (
    <nav className={styles['bar']} aria-label="Tools">
      {shown.map(({ path, name }) => {
        const Icon = findPage(pages, path)?.icon ?? IconDots;
        return (
          <PageLink key={path} to={path} {...(pathname === path ? { 'aria-current': 'page' as const } : {})}>
            <Icon size={22} stroke={1.75} />
            {name}
          </PageLink>
        );
      })}
      <button type="button" aria-haspopup="dialog" onClick={() => overlayStore.show('more')}>
        <IconDots size={22} stroke={1.75} />
        More
      </button>
    </nav>
  );
}
