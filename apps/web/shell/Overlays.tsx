import { TextInput, Switch } from '@mantine/core';
import { IconLock, IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { SINGLE_LETTERS_KEY, useAllCommands, type Command } from '#platform/web/app/commands.ts';
import { useSession } from '#platform/web/app/session.ts';
import { useWebSite } from '#platform/web/app/site.ts';
import { useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { Keys } from '#platform/web/ui/Keys.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import '@mantine/core/styles/Switch.layer.css';
import { type OverlayName, overlayStore } from './overlayState.ts';
import { Palette } from './Palette.tsx';
import styles from './Overlays.module.css';

/** All pages, opened from the bottom bar. */
export function PagesSheet({ isOpen }: { readonly isOpen: boolean }) {
  const { pages } = useWebSite();
  const isLoggedIn = useSession() !== undefined;
  const [filterText, setFilterText] = useState('');
  function close(): void {
    overlayStore.close();
    setFilterText('');
  }
  const matches = pages.filter(({ path, title, card }) =>
    `${title} ${path} ${card?.title ?? ''}`.toLowerCase().includes(filterText.trim().toLowerCase()),
  );
  return (
    <Dialog title="All pages" isOpen={isOpen} onClose={close}>
      <TextInput
        aria-label="Search pages"
        placeholder="Search"
        leftSection={<IconSearch size={16} stroke={1.75} />}
        value={filterText}
        onChange={(event) => setFilterText(event.currentTarget.value)}
      />
      <ul className={styles['pages']}>
        {matches.map(({ path, title, needsLogin, icon: Icon }) => (
          <li key={path}>
            <PageLink to={path} onClick={close}>
              <Icon size={20} stroke={1.75} />
              <span className="ellipsis">{title || path}</span>
              {needsLogin && !isLoggedIn && <IconLock size={14} stroke={1.75} aria-label="Needs login" />}
            </PageLink>
          </li>
        ))}
      </ul>
      {matches.length === 0 && <p role="status">No pages match</p>}
    </Dialog>
  );
}

const GROUPS = ['This page', 'Everywhere', 'Go to'] as const;
const getGroup = (command: Command): (typeof GROUPS)[number] => command.group ?? 'This page';

/** Lists all keys of this page, including those that only work in a focused element. */
export function ShortcutSheet({ isOpen }: { readonly isOpen: boolean }) {
  const commands = useAllCommands().filter((command) => command.keys !== undefined);
  const [letters, setLetters] = useBrowserStorage(SINGLE_LETTERS_KEY);
  return (
    <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={overlayStore.close} width={640}>
      <div className={styles['groups']}>
        {GROUPS.filter((group) => commands.some((command) => getGroup(command) === group)).map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {commands
                .filter((command) => getGroup(command) === group)
                .map(({ id, name, keys }) => (
                  <div key={id}>
                    <dt>{name}</dt>
                    <dd>
                      <Keys keys={keys ?? ''} />
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
      <Switch
        label="Single-key shortcuts"
        description="Shortcuts without Ctrl or Alt, such as ? and g d"
        checked={letters !== 'off'}
        onChange={(event) => setLetters(event.currentTarget.checked ? 'on' : 'off')}
      />
    </Dialog>
  );
}

/** Commands of tools for every page. If loading one fails, the others still work. */
function ToolCommands() {
  const { commands } = useWebSite();
  const [parts] = useState(() => commands.map((load) => lazy(load)));
  return parts.map((Part, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- the list never changes
    <ErrorBoundary key={index} resetKey="">
      <Suspense>
        <Part />
      </Suspense>
    </ErrorBoundary>
  ));
}

/** All overlays, loaded when the first one opens. */
export function Overlays({ shown }: { readonly shown: OverlayName | undefined }) {
  return (
    <>
      <ToolCommands />
      <Palette isOpen={shown === 'palette'} />
      <ShortcutSheet isOpen={shown === 'shortcuts'} />
      <PagesSheet isOpen={shown === 'more'} />
    </>
  );
}
