import { dayLabel } from '../../reading/domain/dayLabel.ts';
import type { GoalProgress } from './useGoals.ts';
import styles from './GoalHistory.module.css';

type PastPeriod = GoalProgress['history'][number];

/** A limit is kept up to the last percent of it. */
const isKept = ({ decdone, limit }: PastPeriod): boolean => (limit ? decdone <= 1 : decdone >= 1);

const summary = (history: readonly PastPeriod[]): string =>
  `Kept on ${history.filter(isKept).length} of the last ${history.length === 1 ? 'day' : `${history.length} days`}`;

/** How a goal stood at the end of each of the last days, as bars; oldest first. */
export function GoalHistory({ history }: Pick<GoalProgress, 'history'>) {
  if (history.length === 0) return null;
  return (
    <span className={styles['bars']} role="img" aria-label={summary(history)} title={summary(history)}>
      {history.map((day) => (
        <i
          key={day.date}
          data-kept={isKept(day) || undefined}
          title={`${dayLabel(day.date)}: ${Math.floor(day.decdone * 100 + 1e-9)}%`}
          style={{ height: `${Math.max(12, Math.min(100, day.decdone * 100))}%` }}
        />
      ))}
    </span>
  );
}
