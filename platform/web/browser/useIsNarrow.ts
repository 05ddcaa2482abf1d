import { useMediaQuery } from '@mantine/hooks';

/** Returns whether the narrow layout is used: window width 700 or less (docs/specification/platform.md section 6). */
export function useIsNarrow(): boolean {
  return useMediaQuery('(max-width: 700px)', undefined, { getInitialValueInEffect: false }) ?? false;
}
