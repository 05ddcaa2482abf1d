import type { ComponentProps } from 'react';
import styles from './IconButton.module.css';

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label'> {
  /** The accessible name, shown as the tooltip too; look.md section 5 lists the fixed ones. */
  readonly label: string;
  readonly size?: 28 | 36 | 44;
  readonly bordered?: boolean;
}

/** A button that shows only an icon. On coarse pointers it is 44 px whatever its size. */
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
