import { lazy, Suspense, useState } from 'react';
import { useWebSite } from '#platform/web/app/site.ts';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { PagesSheet } from './MorePages.tsx';
import type { OverlayName } from './overlayState.ts';
import { Palette } from './Palette.tsx';
import { ShortcutSheet } from './ShortcutSheet.tsx';

const Nothing = (): null => null;

/** What tools offer on every page, once it is loaded. Where that fails the palette has the rest. */
function ToolCommands() {
  const { commands } = useWebSite();
  const [parts] = useState(() => commands.map((load) => lazy(load)));
  return parts.map((Part, at) => (
    // oxlint-disable-next-line react/no-array-index-key -- the list never changes
    <ErrorBoundary key={at} resetKey="" fallback={Nothing}>
      <Suspense>
        <Part />
      </Suspense>
    </ErrorBoundary>
  ));
}

/** Loaded when the first of them is asked for. */
export function Overlays({ shown }: { readonly shown: OverlayName | undefined }) {
  return (
    <>
      <ToolCommands />
      <Palette opened={shown === 'palette'} />
      <ShortcutSheet opened={shown === 'shortcuts'} />
      <PagesSheet opened={shown === 'more'} />
    </>
  );
}
