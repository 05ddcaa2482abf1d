import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** An event as python3-icalendar reads it; `days`: ISO dates found by python3-recurring-ical-events. */
export interface PythonEvent {
  readonly uid: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly days: readonly string[];
}

/** An event for python3-icalendar to write. @see calendars.py */
export interface PythonDraft {
  readonly uid: string;
  readonly name: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly start: string;
  readonly end?: string;
  /** IANA name; without it, times are floating. */
  readonly zone?: string;
  /** Value of `RRULE`. */
  readonly rule?: string;
  readonly left?: readonly string[];
}

export interface DateRange {
  readonly from: string;
  readonly until: string;
  /** Zone in which days are counted; default: UTC. */
  readonly home?: string;
}

/**
 * Reads or writes a calendar with Debian's Python, and returns the days of its events.
 * Check `getSkipReason('icalendar', 'recurring_ical_events')` first.
 */
export function runPythonCalendar(
  query: DateRange & ({ readonly ics: string } | { readonly events: readonly PythonDraft[] }),
): { readonly ics: string; readonly events: readonly PythonEvent[] } {
  const { status, stdout, stderr } = spawnSync('/usr/bin/python3', [join(import.meta.dirname, 'calendars.py')], {
    input: JSON.stringify(query),
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`python failed: ${stderr}`);
  return JSON.parse(stdout) as ReturnType<typeof runPythonCalendar>;
}
