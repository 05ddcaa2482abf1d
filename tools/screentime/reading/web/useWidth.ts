import { useMediaQuery } from '@mantine/hooks';

/** From 1100 px on picker, timeline and goals stand side by side (look.md section 6). */
export const useWide = (): boolean =>
  useMediaQuery('(min-width: 1100px)', undefined, { getInitialValueInEffect: false }) ?? true;
