import styles from './Import.module.css';

interface WarningsProps {
  readonly warnings: readonly { readonly name: string; readonly why: string }[];
}

/** What a calendar contains that could not be taken over unchanged. */
export function Warnings({ warnings }: WarningsProps) {
  if (warnings.length === 0) return null;
  return (
    <details className={styles['problems']} open={warnings.length <= 3}>
      <summary>{warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`}</summary>
      <ul>
        {warnings.map(({ name, why }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a list that never changes, of rows that may be alike
          <li key={index}>
            <b dir="auto">{name}</b> {why}
          </li>
        ))}
      </ul>
    </details>
  );
}
