import type { FastifyBaseLogger } from 'fastify';
import { Refusal } from '#platform/contract/refusal.ts';
import type { ImportedPart, ToolImport } from '../tool.ts';
import { DISK_FULL_MESSAGE, isDiskFullError } from './diskFullError.ts';
import type { ExportArchive } from './exportArchive.ts';

/**
 * What became of a tool's part: imported, `skipped` because the account has such data already, `failed`, so that
 * nothing of it was imported, or `unsupported`.
 */
export type ImportStatus = 'imported' | 'skipped' | 'failed' | 'unsupported';

/** The outcome of one tool's part. */
export interface PartReport extends ImportedPart {
  readonly tool: string;
  readonly status: ImportStatus;
}

const FAULT_MESSAGE =
  'Something went wrong on the server, and nothing of this part was imported. Its log has the details';

interface ImportDeps {
  readonly imports: readonly ToolImport[];
  readonly log: Pick<FastifyBaseLogger, 'error' | 'info'>;
}

interface ImportRun {
  readonly account: number;
  readonly archive: ExportArchive;
  /** Reports of an earlier run that was interrupted. */
  readonly earlier?: readonly PartReport[];
  readonly onReport?: (reports: readonly PartReport[]) => Promise<void>;
  /** Stops between two tools. */
  readonly signal?: AbortSignal;
}

/**
 * Imports an export into an account, tool by tool: each part as a whole, or not at all. A part is skipped if the
 * account has such data, so an import that runs again changes nothing that it has imported before.
 */
export async function importAccount({ imports, log }: ImportDeps, run: ImportRun): Promise<readonly PartReport[]> {
  const { account, archive, earlier = [], onReport, signal } = run;
  async function importPart(tool: string): Promise<Omit<PartReport, 'tool'>> {
    const part = imports.find((candidate) => candidate.tool === tool);
    if (!part) return { status: 'unsupported', counts: {}, problems: [] };
    if (!(await part.isEmpty(account))) return { status: 'skipped', counts: {}, problems: [] };
    try {
      return { status: 'imported', ...(await part.run(account, archive.getSource(tool))) };
    } catch (error) {
      if (error instanceof Refusal) return { status: 'failed', counts: {}, problems: [error.message] };
      if (isDiskFullError(error)) return { status: 'failed', counts: {}, problems: [DISK_FULL_MESSAGE] };
      log.error({ err: error, account, tool }, 'account.import.failed');
      return { status: 'failed', counts: {}, problems: [FAULT_MESSAGE] };
    }
  }
  const reports = [...earlier];
  const order = new Map(imports.map(({ tool }, index) => [tool, index]));
  const getPosition = (tool: string): number => order.get(tool) ?? imports.length;
  const tools = archive.tools.toSorted((one, other) => getPosition(one) - getPosition(other));
  for (const tool of tools) {
    if (reports.some((report) => report.tool === tool)) continue;
    signal?.throwIfAborted();
    reports.push({ tool, ...(await importPart(tool)) });
    await onReport?.(reports);
  }
  log.info(
    { account, parts: Object.fromEntries(reports.map(({ tool, status }) => [tool, status])) },
    'account.imported',
  );
  return reports;
}
