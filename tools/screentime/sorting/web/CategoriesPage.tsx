import { useSession } from '#platform/web/app/session.ts';
import { useUsername } from '#platform/web/app/username.ts';
import { useIsNarrow } from '#platform/web/browser/useNarrow.ts';
import { LoginForm } from '#platform/web/page/LoginForm.tsx';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { Editor } from './Editor.tsx';
import { StatsLink } from './StatsLink.tsx';
import { hasUnsaved } from './useSorting.ts';

const UNSAVED = 'What you changed last is not saved yet. It is once you log in again.';

/** Categories of applications, their hotkeys, and the names of computers (specification 2, section 2.3). */
export default function CategoriesPage() {
  const token = useSession()?.token;
  const narrow = useIsNarrow();
  const { username } = useUsername();
  const title = 'Edit Apps/cats, hotkeys and devices';
  const user = token === undefined ? 'Not logged in' : (username ?? '');
  return (
    <>
      {narrow ? (
        <PageHeader title={title} />
      ) : (
        <PageHeader title={title} note={`User: ${user}`}>
          <StatsLink />
        </PageHeader>
      )}
      {token === undefined ? (
        <LoginForm note={hasUnsaved() ? UNSAVED : undefined} />
      ) : (
        <Editor key={token} username={user} />
      )}
    </>
  );
}
