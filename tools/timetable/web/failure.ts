import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';

/** What a failed save is told with: the browser's own alert (specification 2, section 8). A token that has ended is told by the platform. */
export const alertFailure = (error: unknown): void => {
  if (error instanceof InvalidTokenRefusal) return;
  // oxlint-disable-next-line no-alert -- as specified
  window.alert(`Error: ${error instanceof Error ? error.message : String(error)}`);
};
