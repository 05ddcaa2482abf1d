import { Menu } from '@mantine/core';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { PageMenu } from '#platform/web/page/PageHeader.tsx';
import { NameForm } from '#platform/web/ui/NameForm.tsx';
import { getCountdownView, type Milliseconds } from '../domain/countdown.ts';
import { formatRemaining } from '../domain/timeDisplay.ts';
import { getSelectedTimer, MAX_TIMERS, MAX_NAME_LENGTH, type NamedTimer, type Timers } from '../domain/timers.ts';
import { timerActions } from './timerActions.ts';
import styles from './TimerList.module.css';

interface ChipProps {
  readonly timer: NamedTimer;
  readonly now: Milliseconds;
  readonly isSelected: boolean;
}

function Chip({ timer, now, isSelected }: ChipProps) {
  const { isRunning, remaining } = getCountdownView(timer.countdown, now);
  return (
    <button
      type="button"
      className={styles['chip']}
      aria-pressed={isSelected}
      onClick={() => timerActions.select(timer.id)}
    >
      {isRunning && <span className={`${styles['dot']} dot`} role="img" aria-label="running" />}
      <span className="ellipsis" dir="auto">
        {timer.name}
      </span>
      {!isSelected && (
        <span className="num" aria-hidden>
          {formatRemaining(remaining)}
        </span>
      )}
    </button>
  );
}

interface ChipsProps {
  readonly state: Timers;
  readonly selected: NamedTimer;
  readonly now: Milliseconds;
}

/** Space for the focus ring beside the selected chip. */
const FOCUS_RING_PX = 4;

/** A chip for each timer. Scrolls the selected one into view. */
function Chips({ state, selected, now }: ChipsProps) {
  const strip = useRef<HTMLDivElement>(null);
  const scrolledFor = useRef<string>(undefined);
  // Scrolls the strip only, once per selection. `scrollIntoView` would scroll the page too.
  useLayoutEffect(() => {
    const container = strip.current;
    const chip = container?.querySelector('[aria-pressed="true"]');
    const selection = `${selected.id} ${selected.name} ${state.timers.length}`;
    if (!container || !chip || scrolledFor.current === selection) return;
    scrolledFor.current = selection;
    const [containerBox, chipBox] = [container.getBoundingClientRect(), chip.getBoundingClientRect()];
    const overflowLeft = chipBox.left - containerBox.left - FOCUS_RING_PX;
    const overflowRight = chipBox.right - containerBox.right + FOCUS_RING_PX;
    container.scrollLeft += Math.min(overflowLeft, Math.max(0, overflowRight));
  }, [selected.id, selected.name, state.timers.length]);
  return (
    <div ref={strip} className={styles['chips']} role="group" aria-label="Timers">
      {state.timers.map((timer) => (
        <Chip key={timer.id} timer={timer} now={now} isSelected={timer === selected} />
      ))}
    </div>
  );
}

/** Lists all timers, with actions for the selected one. */
export function TimerList({ state, now }: { readonly state: Timers; readonly now: Milliseconds }) {
  const [renamedId, setRenamedId] = useState<number>();
  const selected = getSelectedTimer(state);
  if (!selected) return null;
  if (renamedId === selected.id)
    return (
      <div className={styles['list']}>
        <NameForm
          name={selected.name}
          maxLength={MAX_NAME_LENGTH}
          onRename={(name) => timerActions.rename(selected.id, name)}
          onClose={() => setRenamedId(undefined)}
        />
      </div>
    );
  return (
    <div className={styles['list']}>
      {state.timers.length > 1 && <Chips state={state} selected={selected} now={now} />}
      <button
        type="button"
        className={styles['add']}
        disabled={state.timers.length >= MAX_TIMERS}
        {...(state.timers.length >= MAX_TIMERS && {
          title: `You have the maximum of ${MAX_TIMERS} timers. Delete one first`,
        })}
        onClick={timerActions.add}
      >
        <IconPlus size={16} stroke={1.75} aria-hidden />
        Add timer
      </button>
      {state.timers.length > 1 && (
        <PageMenu label={`Menu for ${selected.name}`} width={180}>
          <Menu.Item leftSection={<IconPencil size={16} stroke={1.75} />} onClick={() => setRenamedId(selected.id)}>
            Rename
          </Menu.Item>
          <Menu.Item leftSection={<IconTrash size={16} stroke={1.75} />} onClick={() => timerActions.remove(selected)}>
            Delete
          </Menu.Item>
        </PageMenu>
      )}
    </div>
  );
}
