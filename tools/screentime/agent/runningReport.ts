import type { AgentContext } from '#platform/agent/tool.ts';
import { runningReport } from '../contract.ts';
import type { Watcher } from './watcher.ts';

/** A report that was not taken is made again after this. */
const RETRY_DELAY_MS = 10_000;
/** What the contract takes. */
const MAX_APPLICATIONS = 500;

/** Tells the server what is open, on each connection and when that changes. One report is under way at a time. */
export const reportRunning = (
  { report, onConnect, onDisconnect }: AgentContext,
  { running, onRunning }: Pick<Watcher, 'running' | 'onRunning'>,
): { readonly stop: () => void } => {
  /** What the server knows; undefined where it knows nothing of this connection. */
  let told: readonly string[] | undefined;
  let isConnected = false;
  let isBusy = false;
  let again: NodeJS.Timeout | undefined;

  const tell = async (): Promise<void> => {
    const saying = running();
    if (isBusy || !isConnected || saying === told) return;
    isBusy = true;
    try {
      await report(runningReport, { applications: saying.slice(0, MAX_APPLICATIONS) });
      told = saying;
    } catch {
      // It is away, or of a version that knows nothing of this.
      clearTimeout(again);
      if (isConnected) again = setTimeout(() => void tell(), RETRY_DELAY_MS);
      return;
    } finally {
      isBusy = false;
    }
    await tell();
  };
  onRunning(() => void tell());
  onConnect(() => {
    isConnected = true;
    told = undefined;
    void tell();
  });
  const rest = (): void => {
    isConnected = false;
    clearTimeout(again);
  };
  onDisconnect(rest);
  return { stop: rest };
};
