import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import type { View } from './selection.ts';

const views = [
  { value: 'event', label: 'Event' },
  { value: 'week', label: 'Week' },
  { value: 'month', label: 'Month' },
] as const satisfies readonly { readonly value: View; readonly label: string }[];

/** Which view stands in the main place. */
export function ViewSwitch({ view, onSwitch }: { readonly view: View; readonly onSwitch: (view: View) => void }) {
  return <SegmentedControl<View> label="View" options={views} value={view} firm onSelect={onSwitch} />;
}
