import { Suspense, useState } from 'react';
import { latePart } from '#platform/web/latePart.ts';
import type { PartProps } from './parts.ts';

const ConnectDialog = latePart(async () => (await import('./connect/ConnectDialog.tsx')).ConnectDialog);
const BinDialog = latePart(async () => (await import('./bin/BinDialog.tsx')).BinDialog);

export type Asked = 'connect' | 'bin';

interface DialogsProps extends Pick<PartProps, 'onSelect'> {
  readonly asked: Asked | undefined;
  readonly onClose: () => void;
}

/** The dialogs of the menu 'More': loaded when first asked for. */
export function Dialogs({ asked, onClose, onSelect }: DialogsProps) {
  const [loaded, setLoaded] = useState<readonly Asked[]>([]);
  if (asked !== undefined && !loaded.includes(asked)) setLoaded([...loaded, asked]);
  return (
    <Suspense>
      {loaded.includes('connect') && <ConnectDialog opened={asked === 'connect'} onClose={onClose} />}
      {loaded.includes('bin') && <BinDialog opened={asked === 'bin'} onClose={onClose} onSelect={onSelect} />}
    </Suspense>
  );
}
