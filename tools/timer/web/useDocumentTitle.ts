import { useEffect } from 'react';

/** The document's title while the calling component stands. */
export const useDocumentTitle = (title: string): void => {
  useEffect(() => {
    // After the page's own name, which the site gives in the same round of effects.
    queueMicrotask(() => {
      document.title = title;
    });
  }, [title]);
};
