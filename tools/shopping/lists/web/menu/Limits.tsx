import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import type { Planner } from '../plannerTypes.ts';

interface LimitsProps extends Pick<Planner, 'isKept' | 'offline'> {
  readonly className: string | undefined;
}

/** What this browser cannot do for the planner: stands in the menu, or on the page where the menu is closed. */
export function Limits({ isKept, offline, className }: LimitsProps) {
  if (offline === 'insecure')
    return (
      <p className={className}>
        <HttpsHint>Opening lists with no line needs https</HttpsHint>
      </p>
    );
  if (isKept) return null;
  return (
    <p className={className} role="status">
      This browser keeps nothing for this page: changes that are not sent yet last only as long as it is open.
    </p>
  );
}
