import type { ComponentProps } from 'react';

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  /** Whether the last submission is still running. Meanwhile, others are ignored. */
  readonly isBusy?: boolean;
  readonly onSubmit?: () => void;
}

/** A form that calls a function instead of loading a page. */
export function Form({ isBusy = false, onSubmit, ...rest }: FormProps) {
  return (
    <form
      {...rest}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) onSubmit?.();
      }}
    />
  );
}
