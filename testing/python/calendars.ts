import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** An event as python3-icalendar reads it; `days` are ISO, those that python3-recurring-ical-events finds. */
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
  /** IANA name; without it times are of no zone. */
  readonly zone?: string;
  /** Value of `RRULE`. */
  readonly rule?: string;
  readonly left?: readonly string[];
}

export interface DateRange {
  readonly from: string;
  readonly until: string;
  /** Zone by whose clock days are counted; UTC where left out. */
  readonly home?: string;
}

/** Has Debian's Python read or write a calendar, and tell on which days its events are. Needs `lacks('icalendar', 'recurring_ical_events')` asked before. */
export function runPythonCalendar(
  asked: DateRange & ({ readonly ics: string } | { readonly events: readonly PythonDraft[] }),
): { readonly ics: string; readonly events: readonly PythonEvent[] } {
  const { status, stdout, stderr } = spawnSync('/usr/bin/python3', [join(import.meta.dirname, 'calendars.py')], {
    input: JSON.stringify(asked),
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`python failed: ${stderr}`);
  return JSON.parse(stdout) as ReturnType<typeof runPythonCalendar>;
}
