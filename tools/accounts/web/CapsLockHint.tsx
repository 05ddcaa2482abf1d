import { IconArrowBigUpLine } from '@tabler/icons-react';
import styles from './Auth.module.css';

export function CapsLockHint({ on }: { readonly on: boolean }) {
  if (!on) return null;
  return (
    <p className={styles['caps']} role="status">
      <IconArrowBigUpLine size={15} stroke={1.75} />
      Caps Lock is on
    </p>
  );
}
