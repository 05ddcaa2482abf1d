import type { ComponentProps } from 'react';

interface ScrollableProps extends ComponentProps<'div'> {
  readonly as?: 'div' | 'pre';
  /** Name of the scrolled content, for screen readers. */
  readonly label: string;
}

/** Content that can be scrolled with the keyboard. */
export function Scrollable({ as: Element = 'div', label, ...rest }: ScrollableProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users can scroll it
    <Element {...(rest as object)} tabIndex={0} role="group" aria-label={label} />
  );
}
