import { Button } from '@mantine/core';
import { IconAlertTriangle, IconCategory2, IconCheck, IconLoader2, IconWand } from '@tabler/icons-react';
import { Suspense, useRef, useState } from 'react';
import { useDelayed } from '#platform/web/app/late.ts';
import { lazyPart } from '#platform/web/app/latePart.ts';
import { useIsNarrow } from '#platform/web/browser/useNarrow.ts';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import { CategoriesView } from './CategoriesView.tsx';
import { DevicesView } from './DevicesView.tsx';
import { HotkeysView } from './HotkeysView.tsx';
import type { SaveStatus } from './saver.ts';
import { StatsLink } from './StatsLink.tsx';
import { useActs } from './useActs.ts';
import { useSuggestions } from './useRules.ts';
import { useSorting } from './useSorting.ts';
import { useView, VIEWS } from './useView.ts';
import styles from './Editor.module.css';

const RulesDialog = lazyPart(async () => (await import('./RulesDialog.tsx')).RulesDialog);

const GHOSTS = [1, 2, 3];

const looks = {
  'Saving...': { tone: 'plain', icon: IconLoader2 },
  Saved: { tone: 'green', icon: IconCheck },
  'Failed to save - rejected': { tone: 'red', icon: IconAlertTriangle },
  'Failed to save - Server error': { tone: 'red', icon: IconAlertTriangle },
} as const;

function Status({ status }: { readonly status: SaveStatus }) {
  const look = status === '' ? undefined : looks[status];
  return (
    <span className={styles['status']} role="status">
      {look ? (
        <Badge tone={look.tone}>
          <look.icon size={13} stroke={2} />
          {status}
        </Badge>
      ) : null}
    </span>
  );
}

/** Boxes without anything in them, where the real ones will stand. */
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

/** The three views under their bar. */
export function Editor({ username }: { readonly username: string }) {
  const narrow = useIsNarrow();
  const [view, setView] = useView();
  const { sorting, boxes, error, refetch, saver, status } = useSorting();
  const acts = useActs(boxes, saver);
  const suggestions = useSuggestions();
  const [sought, setSought] = useState('');
  const [isRuling, setIsRuling] = useState(false);
  const page = useRef<HTMLDivElement>(null);

  const save = (): void => {
    const wrong = page.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (!wrong) {
      saver.save();
      return;
    }
    // 'Saved' beside a field that is not would be no truth.
    saver.reject();
    wrong.focus();
  };

  const body = (): React.ReactNode => {
    if (view === 'devices') return <DevicesView />;
    if (!sorting || !boxes) {
      if (!error) return <Loading />;
      return (
        <EmptyState icon={IconCategory2} text={<span role="alert">{error.message}</span>}>
          <Button variant="primary" onClick={() => void refetch()}>
            Try again
          </Button>
        </EmptyState>
      );
    }
    if (view === 'catdata') return <HotkeysView boxes={boxes} refused={sorting.refused} saver={saver} />;
    return <CategoriesView boxes={boxes} colours={sorting.colours} sought={sought} acts={acts} />;
  };

  return (
    <div ref={page} className={styles['page']} data-flush>
      <div className={styles['bar']}>
        <SegmentedControl label="View" options={VIEWS} value={view} firm onSelect={setView} />
        {view === 'keylinks' ? (
          <>
            <input
              type="search"
              className={styles['find']}
              aria-label="Find an app"
              placeholder="Find an app"
              data-find
              value={sought}
              onChange={(event) => setSought(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === 'Escape') setSought('');
              }}
            />
            <Button
              variant="subtle"
              className={styles['rules'] ?? ''}
              leftSection={<IconWand size={16} stroke={1.75} />}
              onClick={() => setIsRuling(true)}
            >
              Rules
              {suggestions > 0 ? (
                <span className={styles['count']}>
                  {suggestions}
                  <span className="unseen"> {suggestions === 1 ? 'suggestion' : 'suggestions'}</span>
                </span>
              ) : null}
            </Button>
          </>
        ) : null}
        <span className={styles['right']}>
          <span className={styles['second']}>
            {narrow ? (
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
      <div className={styles['body']}>{body()}</div>
      {isRuling && boxes ? (
        <Suspense>
          <RulesDialog boxes={boxes} onClose={() => setIsRuling(false)} />
        </Suspense>
      ) : null}
    </div>
  );
}
