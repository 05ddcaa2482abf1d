import { Button } from '@mantine/core';
import { IconCheck, IconCircleHalf2, IconCopy, IconMinus, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { notices } from '#platform/web/app/notices.ts';
import { copyText } from '#platform/web/browser/copyText.ts';
import { type CheckResult, formatReport, type Outcome, type ReportFact } from '../domain/report.ts';
import styles from './SelfcheckPage.module.css';

const ICONS = { passed: IconCheck, partly: IconCircleHalf2, failed: IconX, skipped: IconMinus } as const;
const OUTCOME_LABELS: Readonly<Record<Outcome, string>> = {
  passed: 'passed',
  partly: 'partly passed',
  failed: 'failed',
  skipped: 'skipped',
};

function TextRow({ name, text }: { readonly name: string; readonly text: string }) {
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
      <div>
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

/** Copies the report, and says so. It gets the focus, which the text field had during the check. */
function CopyReportButton({ text }: { readonly text: string }) {
  const [isCopied, setIsCopied] = useState(false);
  async function copy(): Promise<void> {
    if (await copyText(text)) setIsCopied(true);
    else notices.add('bad', 'This browser did not allow copying. Select the report and copy it yourself');
  }
  return (
    <Button
      // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user started the check, and the text field had the focus
      autoFocus
      variant="primary"
      leftSection={isCopied ? <IconCheck size={16} stroke={2} /> : <IconCopy size={16} stroke={1.75} />}
      onClick={() => void copy()}
    >
      {isCopied ? 'Report copied' : 'Copy report'}
    </Button>
  );
}

interface ReportCardProps {
  readonly facts: readonly ReportFact[];
  readonly results: readonly CheckResult[];
  /** Whether all checks have ended, so that the report can be copied. */
  readonly isComplete: boolean;
}

/** The results of the checks. Texts are shown where they differ. */
export function ReportCard({ facts, results, isComplete }: ReportCardProps) {
  return (
    <section className={styles['card']} aria-label="Report">
      <header className={styles['cardHead']}>
        <h2>Report</h2>
        {isComplete ? <CopyReportButton text={formatReport(facts, results)} /> : null}
      </header>
      <dl className={styles['facts']}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <ul className={styles['results']} aria-label="Results">
        {results.map((result) => (
          <ResultRow key={result.label} {...result} />
        ))}
      </ul>
    </section>
  );
}
