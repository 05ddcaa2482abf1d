import { Suspense, useEffect, useState, type ReactNode } from 'react';
import { onCommandKey, useCommands, type Command } from '#platform/web/app/commands.ts';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { useWebSite } from '#platform/web/app/site.ts';
import { overlayStore, useOverlay } from './overlayState.ts';

const Overlays = lazyPart(async () => (await import('./Overlays.tsx')).Overlays);

/** Keyboard shortcuts and overlays of every page. */
export function Root({ children }: { readonly children: ReactNode }) {
  const navigateTo = useNavigateTo();
  const { pages } = useWebSite();
  const shownOverlay = useOverlay();
  const [isNeeded, setIsNeeded] = useState(false);
  if (shownOverlay !== undefined && !isNeeded) setIsNeeded(true);

  useEffect(() => {
    document.addEventListener('keydown', onCommandKey);
    return () => document.removeEventListener('keydown', onCommandKey);
  }, []);
  useCommands([
    {
      id: 'palette',
      name: 'Search pages and commands',
      keys: 'Mod+K',
      opensField: true,
      group: 'Everywhere',
      run: () => overlayStore.show('palette'),
    },
    {
      id: 'shortcuts',
      name: 'Keyboard shortcuts',
      keys: '?',
      group: 'Everywhere',
      run: () => overlayStore.show('shortcuts'),
    },
    ...pages.flatMap(({ path, title, key }): readonly Command[] =>
      key === undefined
        ? []
        : [{ id: `go ${path}`, name: title, keys: `g ${key}`, group: 'Go to', run: () => navigateTo(path) }],
    ),
  ]);

  return (
    <>
      {children}
      {isNeeded && (
        <Suspense>
          <Overlays shown={shownOverlay} />
        </Suspense>
      )}
    </>
  );
}
