import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useWebSite } from '#platform/web/app/site.ts';

/** Behind what the page itself loads. */
const RESUME_DELAY_MS = 300;

/** Tools go on with what this browser keeps of the last visit, once it is known whose this one is. */
export const useResume = (username: string | undefined): void => {
  const queries = useQueryClient();
  const { resumeHandlers } = useWebSite();
  useEffect(() => {
    if (username === undefined) return undefined;
    const soon = setTimeout(() => {
      // Nobody has asked for it: the tool's own page tells what hinders it.
      for (const resume of resumeHandlers) resume(queries).catch(() => undefined);
    }, RESUME_DELAY_MS);
    return () => clearTimeout(soon);
  }, [username, queries, resumeHandlers]);
};
