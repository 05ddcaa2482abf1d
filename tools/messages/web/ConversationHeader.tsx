import { IconArrowLeft } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { useFrame } from '#platform/web/app/frame.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import type { RailRow } from './DeviceRail.tsx';
import { DeviceState, IconTile } from './DeviceState.tsx';
import styles from './ConversationView.module.css';

interface ConversationHeaderProps {
  readonly row: RailRow;
  readonly isNarrow: boolean;
  readonly onBack: () => void;
  readonly children?: ReactNode;
}

/** The receiver of the conversation. On a phone it replaces the page's header. */
export function ConversationHeader({ row, isNarrow, onBack, children }: ConversationHeaderProps) {
  const { header: frameHeader } = useFrame();
  const { name, icon, state } = row;
  const Name = isNarrow ? 'h1' : 'h2';
  const header = (
    <div className={styles['head']} data-narrow={isNarrow || undefined}>
      {isNarrow ? (
        <IconButton label="Back" size={44} onClick={onBack}>
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
  if (!isNarrow) return header;
  return frameHeader ? createPortal(header, frameHeader) : null;
}
