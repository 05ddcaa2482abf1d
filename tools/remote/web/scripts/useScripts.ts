import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { notices } from '#platform/web/app/notices.ts';
import { showError } from '#platform/web/app/showError.ts';
import { fileupload, returnfilenames } from '../../contract.ts';
import { validateScriptText, normalizeScriptName } from '../../domain/outgoingMessage.ts';

const SCRIPT_NAMES_QUERY_KEY = ['returnfilenames'] as const;
export const SCRIPTS_QUERY_KEY = ['scripts'] as const;

/** Returns the names of the stored scripts. */
export function useScriptNames(): readonly string[] {
  return (
    useQuery({ queryKey: SCRIPT_NAMES_QUERY_KEY, queryFn: async () => (await call(returnfilenames, {})).names }).data ??
    []
  );
}

/** Returns a function that reloads the names, list and texts of the scripts. */
export function useReloadScripts(): () => Promise<unknown> {
  const queryClient = useQueryClient();
  return () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: SCRIPT_NAMES_QUERY_KEY }),
      queryClient.invalidateQueries({ queryKey: SCRIPTS_QUERY_KEY }),
      queryClient.invalidateQueries({ queryKey: ['scripttext'] }),
    ]);
}

/** Uploads a file as a script, and shows a notice with the result. */
export function useUpload(onUploaded: (name: string) => void) {
  const reloadScripts = useReloadScripts();
  return useMutation({
    mutationFn: async (file: File | undefined): Promise<string> => {
      if (file === undefined) throw new Refusal('remote.no_file', 'No file selected');
      const text = await file.text();
      validateScriptText(text);
      const name = normalizeScriptName(file.name);
      await call(fileupload, { content: { text, name } });
      return name;
    },
    onError: showError,
    onSuccess: async (name) => {
      notices.add('good', `Uploaded ${name}`);
      onUploaded(name);
      await reloadScripts();
    },
  });
}
