import { Button } from '@mantine/core';
import { IconAlertTriangle, IconCategory2, IconCheck, IconLoader2, IconWand } from '@tabler/icons-react';
import { Suspense, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { useDelayed, lazyPart } from '#platform/web/app/lazyPart.ts';
import { createNavigationState } from '#platform/web/app/navigation.ts';
import { useSession } from '#platform/web/app/session.ts';
import { useUsername } from '#platform/web/app/useUsername.ts';
import { useIsNarrow } from '#platform/web/browser/useIsNarrow.ts';
import { LoginForm } from '#platform/web/page/LoginForm.tsx';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { QueryError } from '#platform/web/ui/QueryState.tsx';
import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import { CategoriesView } from './CategoriesView.tsx';
import { DevicesView } from './DevicesView.tsx';
import { HotkeysView } from './HotkeysView.tsx';
import type { SaveStatus } from './saver.ts';
import { useSuggestionCount } from './useRules.ts';
import { hasUnsavedChanges, useSortingActions, useSorting } from './useSorting.ts';
import styles from './CategoriesPage.module.css';

export function StatsLink() {
  return (
    <PageLink to="/graphyv2" className={styles['stats']}>
      View logging stats
    </PageLink>
  );
}

/** The labels of the first two are swapped relative to their values (docs/specification/screentime.md section 1.7). */
export const VIEWS = [
  { value: 'keylinks', label: 'Categories' },
  { value: 'catdata', label: 'Hotkeys' },
  { value: 'devices', label: 'Devices' },
] as const;
export type View = (typeof VIEWS)[number]['value'];

/** The view is in the address, so that links and reloads keep it. */
export function useView(): readonly [View, (view: View) => void] {
  const { search } = useLocation();
  const navigate = useNavigate();
  const requestedView = new URLSearchParams(search).get('view');
  const view = VIEWS.find(({ value }) => value === requestedView)?.value ?? 'keylinks';
  const setView = (next: View): void =>
    void navigate(
      { search: next === 'keylinks' ? '' : `?view=${next}` },
      { replace: true, state: createNavigationState() },
    );
  return [view, setView];
}

const RulesDialog = lazyPart(async () => (await import('./RulesDialog.tsx')).RulesDialog);

const GHOSTS = [1, 2, 3];

const STYLE_BY_STATUS = {
  'Saving...': { tone: 'plain', icon: IconLoader2 },
  Saved: { tone: 'green', icon: IconCheck },
  'Failed to save - rejected': { tone: 'red', icon: IconAlertTriangle },
  'Failed to save - Server error': { tone: 'red', icon: IconAlertTriangle },
} as const;

function Status({ status }: { readonly status: SaveStatus }) {
  const style = status === '' ? undefined : STYLE_BY_STATUS[status];
  return (
    <span className={styles['status']} role="status">
      {style ? (
        <Badge tone={style.tone}>
          <style.icon size={13} stroke={2} />
          {status}
        </Badge>
      ) : null}
    </span>
  );
}

/** Empty boxes while loading. */
function Loading() {
  if (!useDelayed(true)) return null;
  return (
    <div className={styles['ghosts']} role="status" aria-label="Loading">
      {GHOSTS.map((ghost) => (
        <div key={ghost} />
      ))}
    </div>
  );
}

/** Tabs with the three views. */
export function Editor({ username }: { readonly username: string }) {
  const isNarrow = useIsNarrow();
  const [view, setView] = useView();
  const { sorting, boxes, error, refetch, saver, status } = useSorting();
  const actions = useSortingActions(boxes, saver);
  const suggestionCount = useSuggestionCount();
  const [searchText, setSearchText] = useState('');
  const [isRulesOpen, setIsRulesOpen] = useState(false);
  const pageRef = useRef<HTMLDivElement>(null);

  function save(): void {
    const invalidField = pageRef.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (!invalidField) {
      saver.save();
      return;
    }
    // 'Saved' must not be shown beside an unsaved field.
    saver.reject();
    invalidField.focus();
  }

  function renderBody(): React.ReactNode {
    if (view === 'devices') return <DevicesView />;
    if (!sorting || !boxes) {
      if (!error) return <Loading />;
      return <QueryError icon={IconCategory2} message={error.message} onRetry={refetch} />;
    }
    if (view === 'catdata') return <HotkeysView boxes={boxes} refused={sorting.refused} saver={saver} />;
    return <CategoriesView boxes={boxes} colours={sorting.colours} searchText={searchText} actions={actions} />;
  }

  return (
    <div ref={pageRef} className={styles['page']} data-flush>
      <div className={styles['bar']}>
        <SegmentedControl label="View" options={VIEWS} value={view} isSingleLine onSelect={setView} />
        {view === 'keylinks' ? (
          <>
            <input
              type="search"
              className={styles['find']}
              aria-label="Find an app"
              placeholder="Find an app"
              data-find
              value={searchText}
              onChange={(event) => setSearchText(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === 'Escape') setSearchText('');
              }}
            />
            <Button
              variant="subtle"

              leftSection={<IconWand size={16} stroke={1.75} />}
              onClick={() => setIsRulesOpen(true)}
            >
              Rules
              {suggestionCount > 0 ? (
                <span className={`${styles['count']} num`}>
                  {suggestionCount}
                  <span className="unseen"> {suggestionCount === 1 ? 'suggestion' : 'suggestions'}</span>
                </span>
              ) : null}
            </Button>
          </>
        ) : null}
        <span className={styles['right']}>
          <span className={styles['second']}>
            {isNarrow ? (
              <>
                <span className="ellipsis">User: {username}</span>
                <StatsLink />
              </>
            ) : null}
            <Status status={status} />
          </span>
          <Button variant="primary" className={styles['save'] ?? ''} disabled={!sorting} onClick={save}>
            Save
          </Button>
        </span>
      </div>
      <div className={styles['body']}>{renderBody()}</div>
      {isRulesOpen && boxes ? (
        <Suspense>
          <RulesDialog boxes={boxes} onClose={() => setIsRulesOpen(false)} />
        </Suspense>
      ) : null}
    </div>
  );
}

const UNSAVED_MESSAGE = 'Your last changes are not saved yet. Log in again to save them';

/** Page for categories, hotkeys and names of computers (docs/specification/screentime.md section 1.7). */
export default function CategoriesPage() {
  const token = useSession()?.token;
  const isNarrow = useIsNarrow();
  const { username } = useUsername();
  const title = 'Edit Apps/cats, hotkeys and devices';
  const user = token === undefined ? 'Not logged in' : (username ?? '');
  return (
    <>
      {isNarrow ? (
        <PageHeader title={title} />
      ) : (
        <PageHeader title={title} note={`User: ${user}`}>
          <StatsLink />
        </PageHeader>
      )}
      {token === undefined ? (
        <LoginForm note={hasUnsavedChanges() ? UNSAVED_MESSAGE : undefined} />
      ) : (
        <Editor key={token} username={user} />
      )}
    </>
  );
}
