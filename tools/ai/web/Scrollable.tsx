import type { ComponentProps } from 'react';

interface ScrollableProps extends ComponentProps<'div'> {
  readonly as?: 'div' | 'pre';
  /** What is scrolled, for those who do not see it. */
  readonly label: string;
}

/** Something wider or higher than its place, which the keyboard can scroll. */
export function Scrollable({ as: Element = 'div', label, ...rest }: ScrollableProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- without it only a pointer could scroll
    <Element {...(rest as object)} tabIndex={0} role="group" aria-label={label} />
  );
}
