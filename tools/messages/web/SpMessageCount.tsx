import { countCodePoints } from '#platform/contract/fields.ts';
import styles from './SpMessagePage.module.css';

/** From this part of its limit on, a quiet count is shown. */
const NEARLY = 0.8;

interface SpMessageCountProps {
  readonly id: string;
  readonly text: string;
  readonly limit: number;
  /** Not shown as long as there is much room. */
  readonly isQuiet?: boolean;
}

/** How long a text is, and how long it may be. */
export function SpMessageCount({ id, text, limit, isQuiet = false }: SpMessageCountProps) {
  const length = countCodePoints(text);
  const isShown = !isQuiet || length > limit * NEARLY;
  return (
    <span id={id} className={`${styles['count']} num`} data-over={length > limit || undefined}>
      {isShown ? `${length} / ${limit}` : ''}
    </span>
  );
}
