import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { notices } from '#platform/web/app/notices.ts';
import { fileupload, returnfilenames } from '../../contract.ts';
import { checkScriptText, scriptName } from '../../domain/outgoingMessage.ts';

const NAMES = ['returnfilenames'] as const;
export const SCRIPTS = ['scripts'] as const;

/** Returns the names of the stored scripts. */
export function useScriptNames(): readonly string[] {
  return useQuery({ queryKey: NAMES, queryFn: async () => (await call(returnfilenames, {})).names }).data ?? [];
}

/** Returns a function that reloads names, list and texts after a change. */
export function useScriptsChanged(): () => Promise<unknown> {
  const queries = useQueryClient();
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: NAMES }),
      queries.invalidateQueries({ queryKey: SCRIPTS }),
      queries.invalidateQueries({ queryKey: ['scripttext'] }),
    ]);
}

/** Uploads a file as a script. Shows its refusal or success as a notice. */
export function useUpload(onUploaded: (name: string) => void) {
  const changed = useScriptsChanged();
  return useMutation({
    mutationFn: async (file: File | undefined): Promise<string> => {
      if (file === undefined) throw new Refusal('remote.no_file', 'No file selected');
      const text = await file.text();
      checkScriptText(text);
      const name = scriptName(file.name);
      await call(fileupload, { content: { text, name } });
      return name;
    },
    onError: showError,
    onSuccess: async (name) => {
      notices.add('good', `Uploaded ${name}`);
      onUploaded(name);
      await changed();
    },
  });
}
