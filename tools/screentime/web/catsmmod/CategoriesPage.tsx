import { useSession } from '#platform/web/session.ts';
import { LoginForm } from '#platform/web/ui/LoginForm.tsx';
import { PageHeader } from '#platform/web/ui/PageHeader.tsx';
import { PageLink } from '#platform/web/ui/PageLink.tsx';
import { useUsername } from '#platform/web/username.ts';
import { Editor } from './Editor.tsx';
import styles from './CategoriesPage.module.css';

/** Categories of applications, their hotkeys, and the names of computers (specification 2, section 2.3). */
export default function CategoriesPage() {
  const token = useSession()?.token;
  const { username } = useUsername();
  return (
    <>
      <PageHeader title="Edit Apps/cats, hotkeys and devices" note={`User: ${username ?? 'Not logged in'}`}>
        <PageLink to="/graphyv2" className={styles['stats']}>
          View logging stats
        </PageLink>
      </PageHeader>
      {token === undefined ? <LoginForm /> : <Editor key={token} />}
    </>
  );
}
