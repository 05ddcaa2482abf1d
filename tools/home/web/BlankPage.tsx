import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import styles from './BlankPage.module.css';

/** A blank black screen with an empty title. Esc or a double tap goes back. */
export default function BlankPage() {
  const navigate = useNavigate();
  useEffect(() => {
    const back = (): void => {
      // Without history, go to the home page.
      void navigate(history.length > 1 ? -1 : ('/' as never));
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') back();
    };
    document.addEventListener('keydown', onKey);
    document.addEventListener('dblclick', back);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('dblclick', back);
    };
  }, [navigate]);
  return <main className={styles['blank']} aria-label="Blank" />;
}
