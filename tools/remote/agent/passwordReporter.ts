import type { AgentContext } from '#platform/agent/tool.ts';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { passwordFocusReport } from '../contract.ts';

/** The focus moves often while the user switches windows. */
const DEBOUNCE_MS = 100;
const MAX_RETRY_DELAY_MS = MINUTE_MS;

/** Reports when a password field gets or loses the focus, one report at a time; the newest state wins. */
export function createPasswordReporter({
  drivers,
  report,
  onConnect,
  onDisconnect,
}: Pick<AgentContext, 'drivers' | 'report' | 'onConnect' | 'onDisconnect'>): { readonly stop: () => void } {
  const { passwordFocus } = drivers;
  /** Aborted when the connection ends; undefined without a connection. */
  let connection: AbortController | undefined;
  /** What the server knows; undefined if nothing was reported on this connection. */
  let lastReported: boolean | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isReporting = false;

  function schedule(delayMs: number): void {
    const currentConnection = connection;
    // A running report checks the state again when it ends.
    if (!currentConnection || isReporting) return;
    clearTimeout(timer);
    timer = setTimeout(() => void sendReport(currentConnection.signal, delayMs), delayMs);
  }
  async function sendReport(signal: AbortSignal, delayMs: number): Promise<void> {
    isReporting = true;
    const isFocused = passwordFocus.isFocused();
    let nextDelayMs = DEBOUNCE_MS;
    if (isFocused !== lastReported)
      try {
        await report(passwordFocusReport, { isFocused });
        if (!signal.aborted) lastReported = isFocused;
      } catch {
        nextDelayMs = Math.min(10 * Math.max(delayMs, DEBOUNCE_MS), MAX_RETRY_DELAY_MS);
      }
    if (signal.aborted) return;
    isReporting = false;
    if (passwordFocus.isFocused() !== lastReported) schedule(nextDelayMs);
  }
  function stop(): void {
    connection?.abort();
    connection = undefined;
    isReporting = false;
    clearTimeout(timer);
  }

  passwordFocus.onChange(() => schedule(DEBOUNCE_MS));
  onConnect(() => {
    stop();
    connection = new AbortController();
    lastReported = undefined;
    schedule(0);
  });
  onDisconnect(stop);
  return { stop };
}
