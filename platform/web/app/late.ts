import { useEffect, useState } from 'react';

const DELAY_MS = 150;

/** True once `isWaiting` has lasted for a moment: what comes at once needs no sign (look.md section 3). */
export const useDelayed = (isWaiting: boolean): boolean => {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!isWaiting) return undefined;
    const say = setTimeout(() => setLate(true), DELAY_MS);
    return () => {
      clearTimeout(say);
      setLate(false);
    };
  }, [isWaiting]);
  return late;
};
