import { IconCloudCheck, IconCloudOff, IconCloudUp } from '@tabler/icons-react';
import { Badge } from '#platform/web/ui/Badge.tsx';
import type { OpenList } from '../plannerTypes.ts';
import styles from './SyncWord.module.css';

const words = {
  saved: { tone: 'green', icon: IconCloudCheck, word: () => 'Saved' },
  sending: { tone: 'plain', icon: IconCloudUp, word: () => 'Sending' },
  offline: { tone: 'brass', icon: IconCloudOff, word: (kept: number) => `Kept offline (${kept})` },
} as const;

/** Whether what was changed has arrived. Read out only where it has to wait: every tick would be a word. */
export function SyncWord({ state, kept }: Pick<OpenList, 'state' | 'kept'>) {
  const { tone, icon: Icon, word } = words[state];
  return (
    <span className={styles['word']} data-state={state}>
      <Badge tone={tone}>
        <Icon size={14} stroke={1.75} aria-hidden />
        {word(kept)}
      </Badge>
      <span className="unseen" role="status">
        {state === 'offline' ? 'Changes are kept here and sent when the line is back' : ''}
      </span>
    </span>
  );
}
