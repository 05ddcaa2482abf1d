import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';

/**
 * Shows a failed save in the browser's alert (docs/specification/timetable.md section 5).
 * The platform handles ended sessions.
 */
export function alertFailure(error: unknown): void {
  if (error instanceof InvalidTokenRefusal) return;
  // oxlint-disable-next-line no-alert -- docs/specification/timetable.md section 5
  window.alert(`Error: ${error instanceof Error ? error.message : String(error)}`);
}
