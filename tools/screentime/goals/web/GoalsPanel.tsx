import { Button } from '@mantine/core';
import { IconPencil, IconPlus } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { QueryError } from '#platform/web/ui/QueryState.tsx';
import type { Computers, Scope } from '../../reading/web/viewTypes.ts';
import { formatDayLabel } from '../../usage/domain/formats.ts';
import { FillBar } from './FillBar.tsx';
import { useGoals, type GoalProgress } from './useGoals.ts';
import styles from './GoalsPanel.module.css';

type PastPeriod = GoalProgress['history'][number];

/** A limit is respected up to exactly 100 percent. */
const isReached = ({ decdone, limit }: PastPeriod): boolean => (limit ? decdone <= 1 : decdone >= 1);

const formatSummary = (history: readonly PastPeriod[]): string =>
  `Met on ${history.filter(isReached).length} of the last ${history.length === 1 ? 'day' : `${history.length} days`}`;

/** Results of a goal on the last days as bars, oldest first. */
export function GoalHistory({ history }: Pick<GoalProgress, 'history'>) {
  if (history.length === 0) return null;
  return (
    <span className={styles['bars']} role="img" aria-label={formatSummary(history)} title={formatSummary(history)}>
      {history.map((day) => (
        <i
          key={day.date}
          data-kept={isReached(day) || undefined}
          title={`${formatDayLabel(day.date)}: ${Math.floor(day.decdone * 100 + 1e-9)}%`}
          style={{ height: `${Math.max(12, Math.min(100, day.decdone * 100))}%` }}
        />
      ))}
    </span>
  );
}

const GoalEditor = lazyPart(async () => (await import('./GoalEditor.tsx')).GoalEditor);

/** 'new', or the goal when its editor was opened. */
type EditedGoal = 'new' | GoalProgress;

function GoalCard({ progress, onEdit }: { readonly progress: GoalProgress; readonly onEdit: () => void }) {
  const { goal, history } = progress;
  const { header, maindesc, failed, actualdone, decdone } = progress.goalachievment;
  const [subject, days, devices] = maindesc;
  return (
    <li className={styles['goal']}>
      <div className={styles['head']}>
        <h3 dir="auto" title={header}>
          {header}
        </h3>
        <IconButton label={`Edit goal ${header}`} size={28} onClick={onEdit}>
          <IconPencil size={15} stroke={1.75} />
        </IconButton>
      </div>
      <p dir="auto">{subject}</p>
      <p className={styles['scope']} dir="auto">
        {days} · {devices}
      </p>
      <FillBar label={header} share={decdone} isLimit={goal.limit} failed={failed} />
      <div className={`${styles['foot']} num`}>
        <p>{actualdone}</p>
        <GoalHistory history={history} />
      </div>
    </li>
  );
}

/** Goals of the account as cards, each with an edit button. */
export function GoalsPanel({ scope, computers }: { readonly scope: Scope; readonly computers: Computers }) {
  const { data: goals, isError, refetch } = useGoals(scope);
  const [editedGoal, setEditedGoal] = useState<EditedGoal>();
  return (
    <aside className={styles['panel']} aria-label="Goals">
      <header>
        <h2>Goals</h2>
        <Button
          aria-label="Add goal"
          leftSection={<IconPlus size={16} stroke={1.75} />}
          onClick={() => setEditedGoal('new')}
        >
          Add
        </Button>
      </header>
      {isError && !goals ? (
        <div className={styles['failed']}>
          <QueryError message="unfortunate error" onRetry={refetch} />
        </div>
      ) : null}
      {goals?.length === 0 ? (
        <p className={styles['empty']}>No goals yet. Add a goal to reach, or a limit to stay below</p>
      ) : null}
      {goals && goals.length > 0 ? (
        <ul>
          {goals.map((progress) => (
            <GoalCard key={progress.goalid} progress={progress} onEdit={() => setEditedGoal(progress)} />
          ))}
        </ul>
      ) : null}
      {editedGoal ? (
        <Suspense>
          <GoalEditor
            key={editedGoal === 'new' ? 'new' : editedGoal.goalid}
            progress={editedGoal === 'new' ? undefined : editedGoal}
            computers={computers}
            onClose={() => setEditedGoal(undefined)}
          />
        </Suspense>
      ) : null}
    </aside>
  );
}
