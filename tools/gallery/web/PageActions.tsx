import { Button, Menu } from '@mantine/core';
import { IconLock, IconPlayerRecord, IconWorld } from '@tabler/icons-react';
import { PageMenu } from '#platform/web/page/PageMenu.tsx';
import type { GalleryActions, OwnRecordings, RecordableComputer } from './useGallery.ts';
import { useRecordWishes } from './useRecordWishes.ts';
import styles from './GalleryPage.module.css';

interface PageActionsProps {
  readonly own: OwnRecordings;
  readonly computers: readonly RecordableComputer[];
  readonly acts: GalleryActions;
}

/** What the owner can do beside looking: record a screen, and say what becomes of new recordings. */
export function PageActions({ own, computers, acts }: PageActionsProps) {
  const wishes = useRecordWishes(computers, own);
  const ready = wishes.filter(({ whyNot }) => whyNot === undefined);
  const [only] = ready.length === 1 && own.recording.length === 0 ? ready : [];
  return (
    <>
      {only ? (
        <Button
          className={styles['record'] ?? ''}
          leftSection={<IconPlayerRecord size={16} stroke={1.75} />}
          aria-label={only.name}
          onClick={only.run}
        >
          Record
        </Button>
      ) : null}
      <PageMenu label="Recording and more" width={300}>
        {wishes.map(({ target, name, whyNot, run }) => (
          <Menu.Item
            key={target}
            leftSection={<IconPlayerRecord size={18} stroke={1.75} />}
            disabled={whyNot !== undefined}
            onClick={run}
          >
            <span dir="auto">{name}</span>
            {whyNot === undefined ? null : <small className={styles['why']}>{whyNot}</small>}
          </Menu.Item>
        ))}
        <Menu.Item
          leftSection={own.newPublic ? <IconLock size={18} stroke={1.75} /> : <IconWorld size={18} stroke={1.75} />}
          onClick={() => acts.publish('new', !own.newPublic)}
        >
          {own.newPublic ? 'Keep new recordings private' : 'Make new recordings public'}
        </Menu.Item>
      </PageMenu>
    </>
  );
}
