import { useCommands } from '#platform/web/app/commands.ts';
import { useSession } from '#platform/web/app/session.ts';
import { useGallery, useRecorders, useRecordCommands } from './useGallery.ts';

function Commands() {
  const { gallery } = useGallery();
  const recordCommands = useRecordCommands(useRecorders(), gallery?.own);
  useCommands(
    recordCommands.map(({ target, name, whyNot, run }) => ({
      id: `record-${target}`,
      name,
      run,
      group: 'Everywhere' as const,
      when: () => whyNot === undefined,
    })),
  );
  return null;
}

/** Lets users start and stop recordings from the palette of every page. */
export function RecordCommands() {
  return useSession() === undefined ? null : <Commands />;
}
