import { Button, TextInput } from '@mantine/core';
import { IconChevronRight, IconDeviceDesktopPlus, IconLock, IconPalette, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { foldSearch } from '#platform/contract/fold.ts';
import type { Page } from '#platform/contract/page.ts';
import { call } from '#platform/web/app/call.ts';
import { useCommands } from '#platform/web/app/commands.ts';
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { useSession } from '#platform/web/app/session.ts';
import { useWebSite } from '#platform/web/app/site.ts';
import { useIsNarrow } from '#platform/web/browser/useIsNarrow.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { PageButton, PageLink } from '#platform/web/page/PageLink.tsx';
import type { Icon, WebPage } from '#platform/web/tool.ts';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { checkdevices } from '#tools/devices/contract.ts';
import { pairPage } from '#tools/devices/page.ts';
import styles from './PagesPage.module.css';

type Group = NonNullable<Page['card']>['group'];
const GROUPS: readonly Group[] = ['High Effort Projects', 'Low Effort Projects', 'Unfinished / broken'];

const matchesFilter = (filterText: string, ...texts: readonly string[]): boolean =>
  texts.some((text) => foldSearch(text).includes(foldSearch(filterText.trim())));

/** Links to pairing until a computer is paired. */
function PairStrip() {
  const session = useSession();
  const { data } = useQuery({
    queryKey: ['checkdevices', session?.token],
    queryFn: () => call(checkdevices, {}),
    enabled: session !== undefined,
  });
  if (!data || Object.values(data.kinds).includes('computer')) return null;
  return (
    <PageLink to={pairPage.path} className={styles['strip']}>
      <IconDeviceDesktopPlus size={18} stroke={1.75} />
      <span>
        <b>Pair your computer</b> and type on it from here
      </span>
      <IconChevronRight size={16} stroke={1.75} />
    </PageLink>
  );
}

interface Card {
  readonly group: Group;
  readonly icon: Icon;
  readonly title: string;
  readonly description: string;
  /** Undefined if the tool is not available. */
  readonly page?: WebPage;
}

function PageCard({ card: { icon: Icon, title, description, page } }: { readonly card: Card }) {
  const isLoggedIn = useSession() !== undefined;
  const titleId = useId();
  const isLocked = page?.needsLogin === true && !isLoggedIn;
  return (
    <article className={styles['card']}>
      <span className={styles['icon']}>
        <Icon size={22} stroke={1.75} />
      </span>
      <div className={styles['details']}>
        <h3 id={titleId}>{title}</h3>
        <p>{description}</p>
      </div>
      {page === undefined && <Badge>not available</Badge>}
      {page !== undefined && isLocked && (
        <PageButton
          to="/login"
          size="compact-md"
          leftSection={<IconLock size={14} stroke={1.75} />}
          aria-describedby={titleId}
        >
          Login to view
        </PageButton>
      )}
      {page !== undefined && !isLocked && (
        <PageButton to={page.path} aria-describedby={titleId}>
          Go
        </PageButton>
      )}
    </article>
  );
}

const COLOURING_CARD: Card = {
  group: 'Unfinished / broken',
  icon: IconPalette,
  title: 'Colouring tool',
  description: 'Not available',
};
function Cards({ cards }: { readonly cards: readonly Card[] }) {
  return GROUPS.filter((group) => cards.some((card) => card.group === group)).map((group) => (
    <section key={group}>
      <h2>{group}</h2>
      <div className={styles['cards']}>
        {cards
          .filter((card) => card.group === group)
          .map((card) => (
            <PageCard key={card.title} card={card} />
          ))}
      </div>
    </section>
  ));
}

/** The page browser (docs/specification/pages.md section 3). */
export default function PagesPage() {
  const session = useSession();
  const { pages } = useWebSite();
  const navigateTo = useNavigateTo();
  const isNarrow = useIsNarrow();
  const [filterText, setFilterText] = useState('');
  const filterInput = useRef<HTMLInputElement>(null);
  useCommands([{ id: 'find', name: 'Find a page', keys: '/', run: () => filterInput.current?.focus() }]);

  const pageCards: readonly Card[] = pages.flatMap((page) =>
    page.card ? [{ ...page.card, icon: page.icon, page }] : [],
  );
  const cards = [...pageCards, COLOURING_CARD].filter(({ title, description, page }) =>
    matchesFilter(filterText, title, description, page?.title ?? '', page?.path ?? ''),
  );
  const routes = pages.filter(({ path, title }) => matchesFilter(filterText, path, title));
  const firstMatch = cards.find((card) => card.page !== undefined)?.page ?? routes[0];

  const filterField = (
    <TextInput
      ref={filterInput}
      className={styles['filter'] ?? ''}
      size={isNarrow ? 'sm' : 'xs'}
      aria-label="Find a page"
      placeholder="Find a page"
      leftSection={<IconSearch size={14} stroke={1.75} />}
      value={filterText}
      onChange={(event) => setFilterText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setFilterText('');
        if (event.key === 'Enter' && filterText !== '' && firstMatch) navigateTo(firstMatch.path);
      }}
    />
  );

  return (
    <>
      <PageHeader note={session ? `User: ${session.username || '…'}` : 'Not logged in'}>
        {!isNarrow && filterField}
      </PageHeader>
      <div className={styles['wrap']}>
        <PairStrip />
        {isNarrow && filterField}
        <Cards cards={cards} />
        {routes.length > 0 && (
          <section>
            <h2>Routing</h2>
            <div className={styles['routes']}>
              {routes.map(({ path }) => (
                <PageButton key={path} to={path} className={styles['route'] ?? ''}>
                  {path}
                </PageButton>
              ))}
            </div>
          </section>
        )}
        {cards.length === 0 && routes.length === 0 && (
          <p role="status">
            No pages match{' '}
            <Button size="compact-sm" onClick={() => setFilterText('')}>
              Show all
            </Button>
          </p>
        )}
      </div>
    </>
  );
}
