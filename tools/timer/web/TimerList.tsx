import { Menu } from '@mantine/core';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { PageMenu } from '#platform/web/page/PageHeader.tsx';
import { NameForm } from '#platform/web/ui/NameForm.tsx';
import { getCountdownView, type Milliseconds } from '../domain/countdown.ts';
import { formatTimeLeft } from '../domain/timeDisplay.ts';
import { getSelectedTimer, MAX_TIMERS, NAME_LIMIT, type NamedTimer, type Timers } from '../domain/timers.ts';
import { timerActs } from './timerActions.ts';
import styles from './TimerList.module.css';

interface ChipProps {
  readonly timer: NamedTimer;
  readonly now: Milliseconds;
  readonly isChosen: boolean;
}

function Chip({ timer, now, isChosen }: ChipProps) {
  const { running, left } = getCountdownView(timer.countdown, now);
  return (
    <button type="button" className={styles['chip']} aria-pressed={isChosen} onClick={() => timerActs.choose(timer.id)}>
      {running && <span className={styles['dot']} role="img" aria-label="running" />}
      <span className="ellipsis" dir="auto">
        {timer.name}
      </span>
      {!isChosen && (
        <span className="num" aria-hidden>
          {formatTimeLeft(left)}
        </span>
      )}
    </button>
  );
}

interface ChipsProps {
  readonly all: Timers;
  readonly chosen: NamedTimer;
  readonly now: Milliseconds;
}

/** Space for the focus ring beside the selected chip. */
const FOCUS_RING_PX = 4;

/** A chip for each timer. Scrolls the selected one into view. */
function Chips({ all, chosen, now }: ChipsProps) {
  const strip = useRef<HTMLDivElement>(null);
  const scrolledFor = useRef<string>(undefined);
  // Scrolls the strip only, once per selection. `scrollIntoView` would scroll the page too.
  useLayoutEffect(() => {
    const container = strip.current;
    const chip = container?.querySelector('[aria-pressed="true"]');
    const selection = `${chosen.id} ${chosen.name} ${all.timers.length}`;
    if (!container || !chip || scrolledFor.current === selection) return;
    scrolledFor.current = selection;
    const [containerBox, chipBox] = [container.getBoundingClientRect(), chip.getBoundingClientRect()];
    const before = chipBox.left - containerBox.left - FOCUS_RING_PX;
    const behind = chipBox.right - containerBox.right + FOCUS_RING_PX;
    container.scrollLeft += Math.min(before, Math.max(0, behind));
  }, [chosen.id, chosen.name, all.timers.length]);
  return (
    <div ref={strip} className={styles['chips']} role="group" aria-label="Timers">
      {all.timers.map((timer) => (
        <Chip key={timer.id} timer={timer} now={now} isChosen={timer === chosen} />
      ))}
    </div>
  );
}

/** Lists all timers, with actions for the selected one. */
export function TimerList({ all, now }: { readonly all: Timers; readonly now: Milliseconds }) {
  const [renaming, setRenaming] = useState<number>();
  const chosen = getSelectedTimer(all);
  if (!chosen) return null;
  if (renaming === chosen.id)
    return (
      <div className={styles['list']}>
        <NameForm
          name={chosen.name}
          maxLength={NAME_LIMIT}
          onRename={(name) => timerActs.rename(chosen.id, name)}
          onClose={() => setRenaming(undefined)}
        />
      </div>
    );
  return (
    <div className={styles['list']}>
      {all.timers.length > 1 && <Chips all={all} chosen={chosen} now={now} />}
      <button
        type="button"
        className={styles['add']}
        disabled={all.timers.length >= MAX_TIMERS}
        {...(all.timers.length >= MAX_TIMERS && {
          title: `You have the maximum of ${MAX_TIMERS} timers. Delete one first`,
        })}
        onClick={timerActs.add}
      >
        <IconPlus size={16} stroke={1.75} aria-hidden />
        Add timer
      </button>
      {all.timers.length > 1 && (
        <PageMenu label={`Menu for ${chosen.name}`} width={180}>
          <Menu.Item leftSection={<IconPencil size={16} stroke={1.75} />} onClick={() => setRenaming(chosen.id)}>
            Rename
          </Menu.Item>
          <Menu.Item leftSection={<IconTrash size={16} stroke={1.75} />} onClick={() => timerActs.remove(chosen)}>
            Delete
          </Menu.Item>
        </PageMenu>
      )}
    </div>
  );
}
