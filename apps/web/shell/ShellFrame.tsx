import { IconSearch, IconDots, IconCommand, IconCloudOff, IconRefresh } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactNode, useEffect } from 'react';
import { useLocation } from 'react-router';
import type { Page } from '#platform/contract/page.ts';
import { useCommands, type Command } from '#platform/web/app/commands.ts';
import { useBottomBar, FrameContext } from '#platform/web/app/frame.ts';
import { findPage } from '#platform/web/app/navigation.ts';
import { useIsReachable } from '#platform/web/app/reachability.ts';
import { useIsReconnecting } from '#platform/web/app/realtime.ts';
import { useWebSite } from '#platform/web/app/site.ts';
import { useUsername } from '#platform/web/app/useUsername.ts';
import { useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { useIsNarrow } from '#platform/web/browser/useIsNarrow.ts';
import { Logo } from '#platform/web/page/BareHeader.tsx';
import { NoticeStack } from '#platform/web/page/NoticeStack.tsx';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { Keys } from '#platform/web/ui/Keys.tsx';
import { useIsLoading } from '../loadOrReload.ts';
import { AccountMenu } from './AccountMenu.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { overlayStore } from './overlayState.ts';
import '#platform/web/theme/parts.css';
import styles from './ShellFrame.module.css';

/** Returns the text of the status strip while the server can't be reached. It promises only what the page does. */
export function getOfflineText(page: Pick<Page, 'keepsChanges' | 'isLocal' | 'offlineText'>): string {
  if (page.offlineText !== undefined) return page.offlineText;
  if (page.keepsChanges === true)
    return 'Offline. Changes are stored in this browser and sent when the connection is back';
  if (page.isLocal === true) return 'Offline. The server cannot be reached, but this page works without it';
  return 'Offline. The server cannot be reached, so your changes may not be saved';
}

const BOTTOM_BAR_PAGES = [
  { path: '/pagerouter', name: 'Pages' },
  { path: '/dashboard', name: 'Dashboard' },
  { path: '/mixer', name: 'Mixer' },
  { path: '/shopplanner', name: 'Planner' },
];

/** Navigation of the narrow layout, in reach of the thumb. */
export function BottomBar() {
  const { pages } = useWebSite();
  const { pathname } = useLocation();
  return (
    <nav className={styles['bar']} aria-label="Tools">
      {BOTTOM_BAR_PAGES.map(({ path, name }) => {
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

/** Bars of the browser change the height by less than a soft keyboard. */
const MIN_KEYBOARD_PX = 150;

/** Returns whether a soft keyboard covers the lower part of a touch screen. */
export function useSoftKeyboardOpen(): boolean {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    const view = window.visualViewport;
    if (!view || !matchMedia('(pointer: coarse)').matches) return undefined;
    let { width, height: maxHeight } = view;
    const handleResize = (): void => {
      // Start again after a rotation.
      maxHeight = view.width === width ? Math.max(maxHeight, view.height) : view.height;
      width = view.width;
      const isKeyboardOpen = maxHeight - view.height > MIN_KEYBOARD_PX;
      setIsOpen(isKeyboardOpen);
      // On iOS the keyboard only covers the page, so limit the shell to the visible height.
      document.documentElement.style.setProperty('--shell-height', isKeyboardOpen ? `${view.height}px` : '100dvh');
    };
    view.addEventListener('resize', handleResize);
    return () => view.removeEventListener('resize', handleResize);
  }, []);
  return isOpen;
}

/** Lets the page load its own data first. */
const RESUME_DELAY_MS = 300;

/** Resumes work of the last visit, as stored in this browser, once the account is known. */
export function useResume(username: string | undefined): void {
  const queryClient = useQueryClient();
  const { resumeHandlers } = useWebSite();
  useEffect(() => {
    if (username === undefined) return undefined;
    const timer = setTimeout(() => {
      // The user did not ask for it, so the page of the tool reports errors.
      for (const resume of resumeHandlers) resume(queryClient).catch(() => undefined);
    }, RESUME_DELAY_MS);
    return () => clearTimeout(timer);
  }, [username, queryClient, resumeHandlers]);
}

/** Storage key of the pinned tools: paths separated by spaces. */
export const PINNED_KEY = 'pinned';

const DEFAULT_PINNED = [
  '/dashboard',
  '/mixer',
  '/calendar',
  '/shopplanner',
  '/graphyv2',
  '/timetable',
  '/musicmusic',
  '/stopwatch',
];

export function parsePinnedPaths(stored: string | undefined): readonly string[] {
  return stored === undefined ? DEFAULT_PINNED : stored.split(' ').filter(Boolean);
}

/** Navigation of the wide layout, at the left. */
export function Rail({ isWide, username }: { readonly isWide: boolean; readonly username: string | undefined }) {
  const { pages } = useWebSite();
  const { pathname } = useLocation();
  const [pinned] = useBrowserStorage(PINNED_KEY);
  const railPages = ['/pagerouter', ...parsePinnedPaths(pinned)].flatMap((path) => findPage(pages, path) ?? []);
  const markedPath = railPages.some(({ path }) => path === pathname) ? pathname : findPage(pages, pathname)?.within;
  return (
    <nav className={styles['rail']} aria-label="Tools" data-wide={isWide || undefined}>
      <PageLink to="/" className={styles['logo']} aria-label="Home" title="Home">
        <Logo size={28} />
        {isWide && <span>Pegboard</span>}
      </PageLink>
      {railPages.map(({ path, title, key, icon: Icon }) => (
        <PageLink
          key={path}
          to={path}
          className={styles['item']}
          aria-label={title}
          title={key === undefined ? title : `${title}  g ${key}`}
          {...(markedPath === path ? { 'aria-current': path === pathname ? ('page' as const) : true } : {})}
        >
          <Icon size={22} stroke={1.75} />
          {isWide && <span>{title}</span>}
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
        {isWide && <span>Shortcuts</span>}
      </button>
      <AccountMenu username={username} />
    </nav>
  );
}

/** Publishes the height of the strips as a CSS variable, so that notices float below them. */
function useStripsHeight() {
  const strips = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = strips;
    if (!current) return undefined;
    const { style } = document.documentElement;
    const observer = new ResizeObserver(() => style.setProperty('--strips-height', `${current.offsetHeight}px`));
    observer.observe(current);
    return () => {
      observer.disconnect();
      style.removeProperty('--strips-height');
    };
  }, []);
  return strips;
}

/** Status strips below the header, shown while the connection is lost. */
export function StatusStrips({ page }: { readonly page: Page }) {
  const isReachable = useIsReachable();
  const isReconnecting = useIsReconnecting();
  const strips = useStripsHeight();
  return (
    <div ref={strips} role="status">
      {!isReachable && (
        <p className={styles['strip']}>
          <IconCloudOff size={18} stroke={1.75} />
          {getOfflineText(page)}
        </p>
      )}
      {isReachable && isReconnecting && (
        <p className={styles['strip']}>
          <IconRefresh size={18} stroke={1.75} />
          Reconnecting
        </p>
      )}
    </div>
  );
}

/**
 * Frame of all pages that are not bare: rail and header in the wide layout, header and bottom bar in the narrow one.
 */
export function ShellFrame({ page, children }: { readonly page: Page; readonly children: ReactNode }) {
  const { username } = useUsername();
  useResume(username);
  const isNarrow = useIsNarrow();
  const isKeyboardOpen = useSoftKeyboardOpen();
  const isLoading = useIsLoading();
  const bottomBar = useBottomBar();
  const [header, setHeader] = useState<HTMLElement | null>(null);
  const [rail, setRail] = useBrowserStorage('rail');
  const main = useRef<HTMLElement>(null);
  const toggleRail: Command = {
    id: 'rail',
    name: rail === 'wide' ? 'Hide names in the sidebar' : 'Show names in the sidebar',
    keys: '[',
    group: 'Everywhere',
    run: () => setRail(rail === 'wide' ? 'narrow' : 'wide'),
  };
  useCommands(isNarrow ? [] : [toggleRail]);

  return (
    <FrameContext value={{ page, header }}>
      <div className={styles['shell']}>
        <a
          href="#content"
          className={styles['skip']}
          onClick={(event) => {
            event.preventDefault();
            main.current?.focus();
          }}
        >
          Skip to content
        </a>
        {!isNarrow && <Rail isWide={rail === 'wide'} username={username} />}
        <div className={styles['column']}>
          <header className={styles['header']}>
            <div ref={setHeader} className={styles['pageHeader']} />
            {isNarrow ? (
              <AccountMenu username={username} />
            ) : (
              <button type="button" className={styles['search']} onClick={() => overlayStore.show('palette')}>
                <IconSearch size={15} stroke={1.75} />
                <span>Go to…</span>
                <Keys keys="Mod+K" />
              </button>
            )}
            {isLoading && <span className={styles['loading']} />}
          </header>
          <StatusStrips page={page} />
          <main ref={main} id="content" className={styles['body']} tabIndex={-1}>
            {children}
          </main>
          {!isKeyboardOpen && <ErrorBoundary resetKey={page.path}>{bottomBar}</ErrorBoundary>}
          {isNarrow && !isKeyboardOpen && <BottomBar />}
        </div>
        <NoticeStack />
      </div>
    </FrameContext>
  );
}
