import type { ComponentProps } from 'react';
import styles from './IconButton.module.css';

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label'> {
  /** Accessible name and tooltip (docs/design/appearance.md section 7.2 lists the fixed ones). */
  readonly label: string;
  readonly size?: 28 | 36 | 44;
  readonly bordered?: boolean;
}

/** A button with only an icon. On touch screens it is always 44 px. */
export function IconButton({ label, size = 36, bordered = false, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      title={label}
      {...rest}
      aria-label={label}
      className={[styles['button'], className].filter(Boolean).join(' ')}
      data-size={size}
      data-bordered={bordered || undefined}
    />
  );
}
