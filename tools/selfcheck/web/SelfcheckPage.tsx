import { Button } from '@mantine/core';
import { IconChecklist } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useSearchParams } from 'react-router';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { getSiteAddress } from '#platform/web/browser/siteAddress.ts';
import { BarePage } from '#platform/web/page/BarePage.tsx';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { CopyButton } from '#platform/web/ui/CopyButton.tsx';
import { QueryError } from '#platform/web/ui/QueryState.tsx';
import { type CheckedComputer, openselfcheck } from '../contract.ts';
import { checks } from '../domain/checks.ts';
import { type CheckResult, type ReportFact, summarizeResults } from '../domain/report.ts';
import { ReportCard } from './ReportCard.tsx';
import { type SelfcheckRun, type SelfcheckState, useSelfcheck } from './useSelfcheck.ts';
import '#platform/web/theme/parts.css';
import styles from './SelfcheckPage.module.css';

/** PowerShell refuses to run npx.ps1 by default. */
const createCommand = (): string =>
  `${navigator.userAgent.includes('Windows') ? 'npx.cmd' : 'npx'} ${getSiteAddress()}/agent.tgz try`;

function parseRun(search: URLSearchParams): SelfcheckRun | undefined {
  const device = Number(search.get('device'));
  const run = search.get('run') ?? '';
  return Number.isSafeInteger(device) && device > 0 && run !== '' ? { device, run } : undefined;
}

const listFacts = (
  { system, version, runtime }: CheckedComputer,
  endedAt: string | undefined,
): readonly ReportFact[] => [
  ['Desktop', system],
  ['Agent', `${version}, ${runtime}`],
  ['Browser', navigator.userAgent],
  ...(endedAt === undefined ? [] : [['Checked', `${endedAt.slice(0, 16).replace('T', ' ')} UTC`] as const]),
];

/** What to do if the page was opened without a check, or by another account. */
function ProblemMessage({ error, onRetry }: { readonly error: Error; readonly onRetry: () => unknown }) {
  if (error instanceof Refusal && error.code === 'device.not_found')
    return (
      <div className={styles['problem']} role="alert">
        <p>
          This computer isn't paired with the account that is logged in here. Log in with the account of the computer,
          and open the address of the check again
        </p>
        <PageLink className={styles['secondary']} to="/login">
          Log in with another account
        </PageLink>
      </div>
    );
  return <QueryError message={error.message} onRetry={onRetry} />;
}

function StartInstructions() {
  const command = createCommand();
  return (
    <div className={styles['problem']}>
      <p>
        This page checks what the agent can do on a computer. Run the agent there, and enter this command in a second
        terminal. It opens this page for the check
      </p>
      <div className={styles['command']}>
        <code>{command}</code>
        <CopyButton text={command} label="Copy command" />
      </div>
    </div>
  );
}

function describeState(state: SelfcheckState, results: readonly CheckResult[]): string {
  switch (state.phase) {
    case 'ready':
      return 'Ready';
    case 'running':
      if (!state.isFocused) return 'Paused, because another window has the focus. Click into this page to continue';
      return `Check ${results.length + 1} of ${checks.length}: ${state.label}`;
    case 'done':
      return summarizeResults(results);
    case 'failed':
      return `The check was interrupted: ${state.message}`;
  }
}

function Selfcheck({ target, computer }: { readonly target: SelfcheckRun; readonly computer: CheckedComputer }) {
  const fieldRef = useRef<HTMLTextAreaElement>(null);
  const { state, results, start } = useSelfcheck(target, fieldRef, computer.runtime.includes('darwin'));
  const isRunning = state.phase === 'running';
  const endedAt = 'endedAt' in state ? state.endedAt : undefined;
  return (
    <>
      <section className={styles['card']} aria-label="Check">
        <textarea
          ref={fieldRef}
          className={styles['field']}
          aria-label="Text that the agent types"
          placeholder="The agent types here"
          rows={3}
          readOnly={!isRunning}
          autoComplete="off"
          spellCheck={false}
          dir="auto"
        />
        <div className={styles['controls']}>
          <p className={styles['status']} role="status" data-phase={state.phase}>
            {describeState(state, results)}
          </p>
          {isRunning ? null : (
            <Button variant={state.phase === 'ready' ? 'primary' : 'default'} onClick={start}>
              {state.phase === 'ready' ? 'Start the check' : 'Check again'}
            </Button>
          )}
        </div>
        {isRunning ? <progress className={styles['progress']} max={checks.length} value={results.length} /> : null}
      </section>
      {results.length === 0 ? null : (
        <ReportCard facts={listFacts(computer, endedAt)} results={results} isComplete={endedAt !== undefined} />
      )}
    </>
  );
}

/** Checks what the agent can do on this computer. `agent try` opens it with the id of the computer and of the check. */
export default function SelfcheckPage() {
  const [search] = useSearchParams();
  const target = parseRun(search);
  const { data, error, refetch } = useQuery({
    queryKey: ['openselfcheck', target?.device, target?.run],
    queryFn: () => call(openselfcheck, target ?? { device: 0, run: '' }),
    enabled: target !== undefined,
    // A check that runs must not be disturbed.
    staleTime: Infinity,
  });
  return (
    <BarePage
      className={styles['main']}
      icon={<IconChecklist size={26} stroke={1.75} />}
      title={data === undefined ? 'Check this computer' : `Check ${data.name}`}
      lead="The agent types sample texts into this page, presses keys, moves the mouse, changes the volume for a moment and uses the clipboard. This takes half a minute, or longer if something fails. Keep this window in front, over the middle of the screen, and don't touch keyboard and mouse until it has finished"
    >
      {target === undefined ? <StartInstructions /> : null}
      {error === null || data !== undefined ? null : <ProblemMessage error={error} onRetry={refetch} />}
      {target === undefined || data === undefined ? null : <Selfcheck target={target} computer={data} />}
    </BarePage>
  );
}
