import { useMediaQuery } from '@mantine/hooks';

/** Narrow layout: window width 700 or less (specification 1, section 9). */
export function useIsNarrow(): boolean {
  return useMediaQuery('(max-width: 700px)', undefined, { getInitialValueInEffect: false }) ?? false;
}
