import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Paper.layer.css';
import '@mantine/core/styles/ScrollArea.layer.css';
import '@mantine/spotlight/styles.layer.css';
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { IconCommand, IconSearch } from '@tabler/icons-react';
import { useEffect } from 'react';
import { foldSearch } from '#platform/contract/fold.ts';
import { isRunnable, useAllCommands } from '#platform/web/app/commands.ts';
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { useWebSite } from '#platform/web/app/site.ts';
import { Keys } from '#platform/web/ui/Keys.tsx';
import { overlayStore } from './overlayState.ts';
import styles from './Palette.module.css';

interface Action {
  readonly id: string;
  readonly label?: string;
  readonly description?: string;
  readonly keywords?: string | readonly string[];
}

interface ActionGroup<T> {
  readonly group: string;
  readonly actions: readonly T[];
}

/** Returns 0 for a match in the label, 1 in description or keywords, undefined for no match. */
function getRank({ label = '', description = '', keywords = [] }: Action, foldedQuery: string): 0 | 1 | undefined {
  if (foldSearch(label).includes(foldedQuery)) return 0;
  return [description, ...[keywords].flat()].some((text) => foldSearch(text).includes(foldedQuery)) ? 1 : undefined;
}

/** Filters actions by a query. Matches in labels come first. Text is compared as in all searches of the site. */
export function filterActions<T extends Action>(
  query: string,
  groups: readonly ActionGroup<T>[],
): { group: string; actions: T[] }[] {
  const foldedQuery = foldSearch(query.trim());
  const matches = groups.flatMap(({ group, actions }) => {
    const ranked = actions
      .map((action) => ({ action, rank: getRank(action, foldedQuery) ?? 2 }))
      .filter(({ rank }) => rank < 2)
      .toSorted((a, b) => a.rank - b.rank);
    return ranked[0] ? [{ rank: ranked[0].rank, group, actions: ranked.map(({ action }) => action) }] : [];
  });
  return matches.toSorted((a, b) => a.rank - b.rank).map(({ group, actions }) => ({ group, actions }));
}

const [store, spotlight] = createSpotlight();

/**
 * Selects the first action. The library does so only when the search changes, but commands of tools may be added later.
 */
function selectFirst(): void {
  const { listId, query } = store.getState();
  const list = document.querySelector(`[id="${listId}"]`);
  if (query === '' || !list || list.querySelector('[data-selected]')) return;
  list.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
  store.updateState((state) => ({ ...state, selected: 0 }));
}

/** Searches all pages and all commands of the page. */
export function Palette({ isOpen }: { readonly isOpen: boolean }) {
  const navigateTo = useNavigateTo();
  const { pages } = useWebSite();
  const commands = useAllCommands().filter((command) => command.group !== 'Go to' && command.id !== 'palette');
  useEffect(() => {
    if (isOpen) spotlight.open();
    else spotlight.close();
  }, [isOpen]);
  useEffect(selectFirst);

  const actions: SpotlightActionGroupData[] = [
    {
      group: 'Commands',
      actions: commands.filter(isRunnable).map(({ id, name, keys, run }) => ({
        id,
        label: name,
        onClick: run,
        leftSection: <IconCommand size={18} stroke={1.75} />,
        rightSection: keys === undefined ? null : <Keys keys={keys} />,
      })),
    },
    {
      group: 'Pages',
      actions: pages.map(({ path, title, icon: Icon, key, card }) => ({
        id: path,
        label: title || path,
        description: path,
        keywords: [card?.title ?? '', card?.description ?? ''],
        onClick: () => navigateTo(path),
        leftSection: <Icon size={18} stroke={1.75} />,
        rightSection: key === undefined ? null : <Keys keys={`g ${key}`} />,
      })),
    },
  ];

  return (
    <Spotlight
      store={store}
      actions={actions}
      filter={(query) => filterActions(query, actions)}
      shortcut={null}
      nothingFound="No pages or commands match"
      highlightQuery
      scrollable
      maxHeight={440}
      onSpotlightClose={overlayStore.close}
      searchProps={{
        placeholder: 'Search pages and commands',
        'aria-label': 'Search pages and commands',
        leftSection: <IconSearch size={18} stroke={1.75} />,
      }}
      overlayProps={{ color: '#161620', backgroundOpacity: 0.4 }}
      classNames={{
        content: styles['content'] ?? '',
        search: styles['search'] ?? '',
        action: styles['action'] ?? '',
        actionsGroup: styles['group'] ?? '',
      }}
    />
  );
}
