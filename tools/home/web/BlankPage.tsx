import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import styles from './BlankPage.module.css';

/** A blank black screen with an empty title. Esc or a double tap goes back. */
export default function BlankPage() {
  const navigate = useNavigate();
  useEffect(() => {
    function goBack(): void {
      // Without history, goes to the home page.
      void (history.length > 1 ? navigate(-1) : navigate('/'));
    }
    function handleKey(event: KeyboardEvent): void {
      if (event.key === 'Escape') goBack();
    }
    document.addEventListener('keydown', handleKey);
    document.addEventListener('dblclick', goBack);
    return () => {
      document.removeEventListener('keydown', handleKey);
      document.removeEventListener('dblclick', goBack);
    };
  }, [navigate]);
  return <main className={styles['blank']} aria-label="Blank" />;
}
