import { IconSearch } from '@tabler/icons-react';
import { useRef, useState, type ReactNode } from 'react';
import type { Page } from '#platform/contract/page.ts';
import { useBottomBar } from '#platform/web/app/bar.ts';
import { useCommands, type Command } from '#platform/web/app/commands.ts';
import { FrameContext } from '#platform/web/app/frame.ts';
import { useUsername } from '#platform/web/app/username.ts';
import { useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { useIsNarrow } from '#platform/web/browser/useNarrow.ts';
import { NoticeStack } from '#platform/web/page/NoticeStack.tsx';
import { Keys } from '#platform/web/ui/Keys.tsx';
import { useIsLoading } from '../reload.ts';
import { AccountMenu } from './AccountMenu.tsx';
import { BottomBar } from './BottomBar.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { overlayStore } from './overlayState.ts';
import { Rail } from './Rail.tsx';
import { StatusStrips } from './Strips.tsx';
import { useSoftKeyboardOpen } from './useKeyboardOpen.ts';
import { useResume } from './useResuming.ts';
import styles from './ShellFrame.module.css';

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
