import { IconDevices, IconFileCode, IconUserCircle } from '@tabler/icons-react';
import { Suspense, useRef, type ComponentType, type KeyboardEvent } from 'react';
import { useSearchParams } from 'react-router';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { createNavigationState } from '#platform/web/app/navigation.ts';
import { useSession } from '#platform/web/app/session.ts';
import { useWebSite } from '#platform/web/app/site.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import type { SettingsPanel } from '#platform/web/tool.ts';
import styles from './SettingsPage.module.css';

type Tab = SettingsPanel['tab'];
const tabs = [
  { tab: 'scripts', name: 'Scripts Settings', Icon: IconFileCode },
  { tab: 'devices', name: 'Devices Settings', Icon: IconDevices },
  { tab: 'account', name: 'Main Account Settings', Icon: IconUserCircle },
] as const satisfies readonly { readonly tab: Tab; readonly name: string; readonly Icon: unknown }[];

const componentByPanel = new WeakMap<SettingsPanel, ComponentType>();
function getComponent(panel: SettingsPanel) {
  const component = componentByPanel.get(panel) ?? lazyPart(async () => (await panel.load()).default);
  componentByPanel.set(panel, component);
  return component;
}

/** Arrows, Home and End move between the three buttons. */
const moveByKey: Readonly<Record<string, (index: number) => number>> = {
  ArrowRight: (index) => index + 1,
  ArrowLeft: (index) => index - 1,
  Home: () => 0,
  End: () => tabs.length - 1,
};

/** The settings page: three buttons, and below them the panels of the selected tab. */
export default function SettingsPage() {
  const { settings } = useWebSite();
  const [searchParams, setSearchParams] = useSearchParams();
  const username = useSession()?.username ?? '';
  const buttonsRef = useRef<HTMLDivElement>(null);
  const requestedTab = searchParams.get('tab');
  const selected = tabs.find(({ tab }) => tab === requestedTab) ?? tabs[1];
  const selectTab = (tab: Tab): void => setSearchParams({ tab }, { state: createNavigationState() });
  function handleKeyDown(event: KeyboardEvent): void {
    const move = moveByKey[event.key];
    const index = tabs.indexOf(selected);
    const nextTab = move && tabs[(move(index) + tabs.length) % tabs.length];
    if (!nextTab) return;
    event.preventDefault();
    selectTab(nextTab.tab);
    buttonsRef.current?.querySelector<HTMLElement>(`[data-tab=${nextTab.tab}]`)?.focus();
  }
  return (
    <div className={styles['page']}>
      <PageHeader note={`Account ${username}`} />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the buttons within take the keys */}
      <div ref={buttonsRef} className={styles['tabs']} role="group" aria-label="Settings" onKeyDown={handleKeyDown}>
        {tabs.map(({ tab, name, Icon }) => (
          <button
            key={tab}
            type="button"
            data-tab={tab}
            aria-pressed={tab === selected.tab}
            onClick={() => selectTab(tab)}
          >
            <Icon size={18} stroke={1.75} />
            {name}
          </button>
        ))}
      </div>
      <section className={styles['panels']} aria-label={selected.name}>
        <Suspense fallback={<div className={styles['loading']} />}>
          {settings
            .filter(({ tab }) => tab === selected.tab)
            .map((panel) => {
              const Panel = getComponent(panel);
              return <Panel key={panel.id} />;
            })}
        </Suspense>
      </section>
    </div>
  );
}
