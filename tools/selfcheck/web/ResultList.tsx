import { IconCheck, IconCircleHalf2, IconMinus, IconX } from '@tabler/icons-react';
import type { CheckResult, Outcome } from '../domain/report.ts';
import styles from './SelfcheckPage.module.css';

const ICONS = { passed: IconCheck, partly: IconCircleHalf2, failed: IconX, skipped: IconMinus } as const;
const OUTCOME_LABELS: Readonly<Record<Outcome, string>> = {
  passed: 'passed',
  partly: 'partly passed',
  failed: 'failed',
  skipped: 'skipped',
};

interface TextRowProps {
  readonly name: string;
  readonly text: string;
}

function TextRow({ name, text }: TextRowProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{text === '' ? <em>no text</em> : text}</dd>
    </div>
  );
}

function ResultRow({ label, outcome, expected, received, note, ms }: CheckResult) {
  const Icon = ICONS[outcome];
  const hasTexts = outcome === 'failed' || outcome === 'partly';
  return (
    <li className={styles['result']} data-outcome={outcome} aria-label={label}>
      <Icon size={18} stroke={2} />
      <div className={styles['resultText']}>
        <p className={styles['resultTitle']}>
          {label}
          <span className="num">
            {OUTCOME_LABELS[outcome]}
            {ms === undefined ? '' : `, ${Math.round(ms)} ms`}
          </span>
        </p>
        {hasTexts ? (
          <dl className={styles['texts']}>
            <TextRow name="Expected" text={expected} />
            <TextRow name="Received" text={received} />
          </dl>
        ) : null}
        {note === undefined ? null : <p className={styles['note']}>{note}</p>}
      </div>
    </li>
  );
}

/** Lists the results of the checks. Texts are shown where they differ. */
export function ResultList({ results }: { readonly results: readonly CheckResult[] }) {
  return (
    <ul className={styles['results']} aria-label="Results">
      {results.map((result) => (
        <ResultRow key={result.label} {...result} />
      ))}
    </ul>
  );
}
