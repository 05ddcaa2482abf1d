import { IconAlertTriangle } from '@tabler/icons-react';
import styles from './AccountPanel.module.css';

/** Why a form was not done, in red under its fields. */
export function FormError({ error }: { readonly error: Error | null }) {
  if (error === null) return null;
  return (
    <p className={styles['error']} role="alert">
      <IconAlertTriangle size={15} stroke={1.75} />
      {error.message}
    </p>
  );
}
