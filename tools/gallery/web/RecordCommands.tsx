import { useCommands } from '#platform/web/app/commands.ts';
import { useSession } from '#platform/web/app/session.ts';
import { useGallery, useRecordableComputers, useRecordCommands } from './useGallery.ts';

function Commands() {
  const { gallery } = useGallery();
  const recordCommands = useRecordCommands(useRecordableComputers(), gallery?.own);
  useCommands(
    recordCommands.map(({ target, name, problem, run }) => ({
      id: `record-${target}`,
      name,
      run,
      group: 'Everywhere' as const,
      when: () => problem === undefined,
    })),
  );
  return null;
}

/** Lets users start and stop recordings from the palette of every page. */
export function RecordCommands() {
  return useSession() === undefined ? null : <Commands />;
}
