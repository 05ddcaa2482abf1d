import { IconSearch } from '@tabler/icons-react';
import { useRef, useState, type ReactNode } from 'react';
import type { Page } from '#platform/contract/page.ts';
import { useBar } from '#platform/web/bar.ts';
import { useCommands, type Command } from '#platform/web/commands.ts';
import { FrameContext } from '#platform/web/frame.ts';
import { useNarrow } from '#platform/web/narrow.ts';
import { useRemembered } from '#platform/web/remember.ts';
import { Keys } from '#platform/web/ui/Keys.tsx';
import { NoticeStack } from '#platform/web/ui/NoticeStack.tsx';
import { useUsername } from '#platform/web/username.ts';
import { useLoading } from '../reload.ts';
import { AccountMenu } from './AccountMenu.tsx';
import { BottomBar } from './BottomBar.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { overlay } from './overlay.ts';
import { Rail } from './Rail.tsx';
import { Strips } from './Strips.tsx';
import { useKeyboardOpen } from './useKeyboardOpen.ts';
import { useResuming } from './useResuming.ts';
import styles from './ShellFrame.module.css';

const Nothing = () => null;

/** The frame round every page but the bare ones: wide with rail and header, narrow with header and bottom bar. */
export function ShellFrame({ page, children }: { readonly page: Page; readonly children: ReactNode }) {
  const { username } = useUsername();
  useResuming(username);
  const narrow = useNarrow();
  const keyboardOpen = useKeyboardOpen();
  const isLoading = useLoading();
  const bar = useBar();
  const [header, setHeader] = useState<HTMLElement | null>(null);
  const [rail, setRail] = useRemembered('rail');
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
              <button type="button" className={styles['search']} onClick={() => overlay.show('palette')}>
                <IconSearch size={15} stroke={1.75} />
                <span>Go to…</span>
                <Keys keys="Mod+K" />
              </button>
            )}
            {isLoading && <span className={styles['loading']} />}
          </header>
          <Strips page={page} />
          <main ref={main} id="content" className={styles['body']} tabIndex={-1}>
            {children}
          </main>
          {!keyboardOpen && (
            <ErrorBoundary fallback={Nothing} on={page.path}>
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
