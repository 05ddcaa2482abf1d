import { countCodePoints } from '#platform/contract/fields.ts';
import styles from './TextCount.module.css';

interface CharacterCountProps {
  /** What the field names in its `aria-describedby`. */
  readonly id: string;
  readonly text: string;
  /** In Unicode code points. */
  readonly limit: number;
}

/** How long a text is, of how long it may be: at the right in the last line of its field, 44 px high. */
export function CharacterCount({ id, text, limit }: CharacterCountProps) {
  const length = countCodePoints(text);
  return (
    <span
      id={id}
      className={`${styles['count']} num`}
      data-over={length > limit || undefined}
      data-empty={length === 0 || undefined}
    >
      {length} / {limit}
    </span>
  );
}
