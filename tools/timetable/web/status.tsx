import { IconCircleCheck, IconCircleDashed, IconCircleDashedCheck, IconCircleMinus } from '@tabler/icons-react';
import type { Icon } from '#platform/web/tool.ts';

const icons: Readonly<Record<string, Icon>> = {
  'Not Started': IconCircleDashed,
  'In Progress': IconCircleDashedCheck,
  Done: IconCircleCheck,
  Skipped: IconCircleMinus,
};

/** Colour is never the only sign. */
export function StatusIcon({ status, size = 14 }: { readonly status: string; readonly size?: number }) {
  const Shown = icons[status] ?? IconCircleDashed;
  return <Shown size={size} stroke={1.75} />;
}
