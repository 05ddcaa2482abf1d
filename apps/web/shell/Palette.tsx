import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Paper.layer.css';
import '@mantine/core/styles/ScrollArea.layer.css';
import '@mantine/spotlight/styles.layer.css';
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { IconCommand, IconSearch } from '@tabler/icons-react';
import { useEffect } from 'react';
import { isRunnable, useAllCommands } from '#platform/web/app/commands.ts';
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { useWebSite } from '#platform/web/app/site.ts';
import { Keys } from '#platform/web/ui/Keys.tsx';
import { overlayStore } from './overlayState.ts';
import { filterActions } from './paletteFilter.ts';
import styles from './Palette.module.css';

const [store, spotlight] = createSpotlight();

/**
 * Selects the first action. The library does so only when the search changes, but commands of tools may be added later.
 */
const selectFirst = (): void => {
  const { listId, query } = store.getState();
  const list = document.querySelector(`[id="${listId}"]`);
  if (query === '' || !list || list.querySelector('[data-selected]')) return;
  list.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
  store.updateState((state) => ({ ...state, selected: 0 }));
};

/** Searches all pages and all commands of the page. */
export function Palette({ opened }: { readonly opened: boolean }) {
  const navigateTo = useNavigateTo();
  const { pages } = useWebSite();
  const commands = useAllCommands().filter((command) => command.group !== 'Go to' && command.id !== 'palette');
  useEffect(() => {
    if (opened) spotlight.open();
    else spotlight.close();
  }, [opened]);
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
