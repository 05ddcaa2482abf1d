import { Suspense, useState } from 'react';
import { lazyPart } from '#platform/web/app/latePart.ts';
import type { PartProps } from './parts.ts';

const ConnectDialog = lazyPart(async () => (await import('./connect/ConnectDialog.tsx')).ConnectDialog);
const BinDialog = lazyPart(async () => (await import('./BinDialog.tsx')).BinDialog);

/** `import` is a part of `connect`. */
export type DialogName = 'connect' | 'import' | 'bin';

interface DialogsProps extends Pick<PartProps, 'onSelect'> {
  readonly asked: DialogName | undefined;
  readonly onClose: () => void;
}

/** The dialogs of the menu 'More': loaded when first asked for. */
export function Dialogs({ asked, onClose, onSelect }: DialogsProps) {
  const [loaded, setLoaded] = useState<readonly DialogName[]>([]);
  const dialog = asked === 'import' ? 'connect' : asked;
  if (dialog !== undefined && !loaded.includes(dialog)) setLoaded([...loaded, dialog]);
  return (
    <Suspense>
      {loaded.includes('connect') && (
        <ConnectDialog opened={dialog === 'connect'} startsAtImport={asked === 'import'} onClose={onClose} />
      )}
      {loaded.includes('bin') && <BinDialog opened={asked === 'bin'} onClose={onClose} onSelect={onSelect} />}
    </Suspense>
  );
}
