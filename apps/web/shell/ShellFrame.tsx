import { IconSearch, IconDots, IconCommand, IconCloudOff, IconRefresh } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactNode, useEffect } from 'react';
import { useLocation } from 'react-router';
import type { Page } from '#platform/contract/page.ts';
import { useBottomBar } from '#platform/web/app/bar.ts';
import { useCommands, type Command } from '#platform/web/app/commands.ts';
import { FrameContext } from '#platform/web/app/frame.ts';
import { useIsReconnecting } from '#platform/web/app/line.ts';
import { findPage } from '#platform/web/app/navigation.ts';
import { useIsReachable } from '#platform/web/app/reachability.ts';
import { useWebSite } from '#platform/web/app/site.ts';
import { useUsername } from '#platform/web/app/username.ts';
import { useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { useIsNarrow } from '#platform/web/browser/useNarrow.ts';
import { Logo } from '#platform/web/page/BareHeader.tsx';
import { NoticeStack } from '#platform/web/page/NoticeStack.tsx';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { Keys } from '#platform/web/ui/Keys.tsx';
import { useIsLoading } from '../reload.ts';
import { AccountMenu } from './AccountMenu.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { getOfflineText } from './offlineText.ts';
import { overlayStore } from './overlayState.ts';
import bottomBarStyles from './BottomBar.module.css';
import railStyles from './Rail.module.css';
import styles from './ShellFrame.module.css';
import stripsStyles from './Strips.module.css';

const BOTTOM_BAR_PAGES = [
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
    <nav className={bottomBarStyles['bar']} aria-label="Tools">
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

/** A soft keyboard takes more than the browser's own bars do. */
const MIN_KEYBOARD_PX = 150;

/** Whether a soft keyboard covers the lower part of a touch screen. */
export function useSoftKeyboardOpen(): boolean {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const view = window.visualViewport;
    if (!view || !matchMedia('(pointer: coarse)').matches) return undefined;
    let { width } = view;
    let tallest = view.height;
    const measure = (): void => {
      // A turned screen starts anew.
      tallest = view.width === width ? Math.max(tallest, view.height) : view.height;
      width = view.width;
      const isOpen = tallest - view.height > MIN_KEYBOARD_PX;
      setOpen(isOpen);
      // Where the keyboard only covers the page (iOS), the shell takes the height that is left.
      document.documentElement.style.setProperty('--shell-height', isOpen ? `${view.height}px` : '100dvh');
    };
    view.addEventListener('resize', measure);
    return () => view.removeEventListener('resize', measure);
  }, []);
  return open;
}

/** Behind what the page itself loads. */
const RESUME_DELAY_MS = 300;

/** Tools go on with what this browser keeps of the last visit, once it is known whose this one is. */
export function useResume(username: string | undefined): void {
  const queries = useQueryClient();
  const { resumeHandlers } = useWebSite();
  useEffect(() => {
    if (username === undefined) return undefined;
    const soon = setTimeout(() => {
      // Nobody has asked for it: the tool's own page tells what hinders it.
      for (const resume of resumeHandlers) resume(queries).catch(() => undefined);
    }, RESUME_DELAY_MS);
    return () => clearTimeout(soon);
  }, [username, queries, resumeHandlers]);
}

/** Where this browser remembers the pinned tools, as paths with spaces between. */
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

export function parsePinnedPaths(remembered: string | undefined): readonly string[] {
  return remembered === undefined ? DEFAULT_PINNED : remembered.split(' ').filter(Boolean);
}

/** The wide layout's tools at the left. */
export function Rail({ wide, username }: { readonly wide: boolean; readonly username: string | undefined }) {
  const { pages } = useWebSite();
  const { pathname } = useLocation();
  const [pinned] = useBrowserStorage(PINNED_KEY);
  const shown = ['/pagerouter', ...parsePinnedPaths(pinned)].flatMap((path) => findPage(pages, path) ?? []);
  const marked = shown.some(({ path }) => path === pathname) ? pathname : findPage(pages, pathname)?.within;
  return (
    <nav className={railStyles['rail']} aria-label="Tools" data-wide={wide || undefined}>
      <PageLink to="/" className={railStyles['logo']} aria-label="Home" title="Home">
        <Logo size={28} />
        {wide && <span>Pegboard</span>}
      </PageLink>
      {shown.map(({ path, title, key, icon: Icon }) => (
        <PageLink
          key={path}
          to={path}
          className={railStyles['item']}
          aria-label={title}
          title={key === undefined ? title : `${title}  g ${key}`}
          {...(marked === path ? { 'aria-current': path === pathname ? ('page' as const) : true } : {})}
        >
          <Icon size={22} stroke={1.75} />
          {wide && <span>{title}</span>}
        </PageLink>
      ))}
      <span className={railStyles['space']} />
      <button
        type="button"
        className={railStyles['item']}
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

/** Tells the notices how far the strips push the page down: they float over it, below what one needs next. */
const useHeightForNotices = () => {
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
};

/** Under the header: says that the line is down. */
export function StatusStrips({ page }: { readonly page: Page }) {
  const reached = useIsReachable();
  const reconnecting = useIsReconnecting();
  const strips = useHeightForNotices();
  return (
    <div ref={strips} role="status">
      {!reached && (
        <p className={stripsStyles['strip']}>
          <IconCloudOff size={18} stroke={1.75} />
          {getOfflineText(page)}
        </p>
      )}
      {reached && reconnecting && (
        <p className={stripsStyles['strip']}>
          <IconRefresh size={18} stroke={1.75} />
          Reconnecting
        </p>
      )}
    </div>
  );
}

const Nothing = () => null;

/** The frame round every page but the bare ones: wide with rail and header, narrow with header and bottom bar. */
export function ShellFrame({ page, children }: { readonly page: Page; readonly children: ReactNode }) {
  const { username } = useUsername();
  useResume(username);
  const narrow = useIsNarrow();
  const keyboardOpen = useSoftKeyboardOpen();
  const isLoading = useIsLoading();
  const bar = useBottomBar();
  const [header, setHeader] = useState<HTMLElement | null>(null);
  const [rail, setRail] = useBrowserStorage('rail');
  const main = useRef<HTMLElement>(null);
  const toggleRail: Command = {
    id: 'rail',
    name: rail === 'wide' ? 'Narrow rail' : 'Rail with names',
    keys: '[',
    group: 'Everywhere',
    run: () => setRail(rail === 'wide' ? 'narrow' : 'wide'),
  };
  useCommands(narrow ? [] : [toggleRail]);

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
        {!narrow && <Rail wide={rail === 'wide'} username={username} />}
        <div className={styles['column']}>
          <header className={styles['header']}>
            <div ref={setHeader} className={styles['own']} />
            {narrow ? (
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
          {!keyboardOpen && (
            <ErrorBoundary fallback={Nothing} resetKey={page.path}>
              {bar}
            </ErrorBoundary>
          )}
          {narrow && !keyboardOpen && <BottomBar />}
        </div>
        <NoticeStack />
      </div>
    </FrameContext>
  );
}
