import { MorePages } from './MorePages.tsx';
import type { Overlay } from './overlay.ts';
import { Palette } from './Palette.tsx';
import { ShortcutSheet } from './ShortcutSheet.tsx';

/** Loaded when the first of them is asked for. */
export function Overlays({ shown }: { readonly shown: Overlay | undefined }) {
  return (
    <>
      <Palette opened={shown === 'palette'} />
      <ShortcutSheet opened={shown === 'shortcuts'} />
      <MorePages opened={shown === 'more'} />
    </>
  );
}
