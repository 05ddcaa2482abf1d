import { IconDevices, IconFileCode, IconUserCircle } from '@tabler/icons-react';
import { Suspense, useEffect, useRef, type ComponentType, type KeyboardEvent } from 'react';
import { useSearchParams } from 'react-router';
import { lazyPart } from '#platform/web/app/latePart.ts';
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

const loaded = new WeakMap<SettingsPanel, ComponentType>();
const componentOf = (panel: SettingsPanel) => {
  const known = loaded.get(panel) ?? lazyPart(async () => (await panel.load()).default);
  loaded.set(panel, known);
  return known;
};

/** Arrows, Home and End move between the three buttons. */
const steps: Readonly<Record<string, (at: number) => number>> = {
  ArrowRight: (at) => at + 1,
  ArrowLeft: (at) => at - 1,
  Home: () => 0,
  End: () => tabs.length - 1,
};

/** The settings screen: three buttons, and below them what the tools offer for the chosen one. */
export default function SettingsPage() {
  const { settings } = useWebSite();
  const [search, setSearch] = useSearchParams();
  const username = useSession()?.username ?? '';
  const buttons = useRef<HTMLDivElement>(null);
  const asked = search.get('tab');
  const chosen = tabs.find(({ tab }) => tab === asked) ?? tabs[1];
  const choose = (tab: Tab): void => setSearch({ tab }, { state: createNavigationState() });
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    const at = tabs.indexOf(chosen);
    const next = step && tabs[(step(at) + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    choose(next.tab);
    buttons.current?.querySelector<HTMLElement>(`[data-tab=${next.tab}]`)?.focus();
  };
  // Narrow, the three stand in a row that scrolls.
  useEffect(() => {
    buttons.current?.querySelector(`[data-tab=${chosen.tab}]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [chosen.tab]);
  return (
    <div className={styles['page']}>
      <PageHeader note={`Account ${username}`} />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the buttons within take the keys */}
      <div ref={buttons} className={styles['tabs']} role="group" aria-label="Settings" onKeyDown={onKeyDown}>
        {tabs.map(({ tab, name, Icon }) => (
          <button key={tab} type="button" data-tab={tab} aria-pressed={tab === chosen.tab} onClick={() => choose(tab)}>
            <Icon size={18} stroke={1.75} />
            {name}
          </button>
        ))}
      </div>
      <section className={styles['panels']} aria-label={chosen.name}>
        <Suspense fallback={<div className={styles['loading']} />}>
          {settings
            .filter(({ tab }) => tab === chosen.tab)
            .map((panel) => {
              const Panel = componentOf(panel);
              return <Panel key={panel.id} />;
            })}
        </Suspense>
      </section>
    </div>
  );
}
