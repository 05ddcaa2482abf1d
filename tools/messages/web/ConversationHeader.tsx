import { IconArrowLeft } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { useFrame } from '#platform/web/app/frame.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import type { RailRow } from './DeviceRail.tsx';
import { DeviceState, IconTile } from './DeviceState.tsx';
import styles from './ConversationView.module.css';

interface HeadProps {
  readonly row: RailRow;
  readonly narrow: boolean;
  readonly back: () => void;
  readonly children?: ReactNode;
}

/** The receiver of the conversation; on a phone it replaces the page's own header. */
export function Head({ row, narrow, back, children }: HeadProps) {
  const { header } = useFrame();
  const { name, icon, state } = row;
  const Name = narrow ? 'h1' : 'h2';
  const head = (
    <div className={styles['head']} data-narrow={narrow || undefined}>
      {narrow ? (
        <IconButton label="Back" size={44} onClick={back}>
          <IconArrowLeft size={20} stroke={1.75} />
        </IconButton>
      ) : null}
      <IconTile icon={icon} />
      <div className={styles['participant']}>
        <Name dir="auto">{name}</Name>
        {state === undefined ? null : <DeviceState state={state} />}
      </div>
      {children}
    </div>
  );
  if (!narrow) return head;
  return header ? createPortal(head, header) : null;
}
