import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useSite } from '#platform/web/site.ts';

/** Behind what the page itself loads. */
const BEHIND_MS = 300;

/** Tools go on with what this browser keeps of the last visit, once it is known whose this one is. */
export const useResuming = (username: string | undefined): void => {
  const queries = useQueryClient();
  const { resumes } = useSite();
  useEffect(() => {
    if (username === undefined) return undefined;
    const soon = setTimeout(() => {
      // Nobody has asked for it: the tool's own page tells what hinders it.
      for (const resume of resumes) resume(queries).catch(() => undefined);
    }, BEHIND_MS);
    return () => clearTimeout(soon);
  }, [username, queries, resumes]);
};
