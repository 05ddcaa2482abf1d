/** Number of cases of one kind, and the failures, each with its seed. */
export interface SuiteResult {
  readonly what: string;
  readonly caseCount: number;
  readonly failures: readonly string[];
}

/** A group of long-running checks. */
export interface FaultSuite {
  readonly name: string;
  /** `say` prints progress. */
  readonly run: (say: (line: string) => void) => Promise<readonly SuiteResult[]>;
}
