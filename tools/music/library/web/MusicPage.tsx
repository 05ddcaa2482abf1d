import { Button } from '@mantine/core';
import { IconAlertTriangle, IconMusic, IconMusicOff, IconPlus, IconUpload } from '@tabler/icons-react';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useState, Suspense, useCallback, useMemo, useRef } from 'react';
import { flushSync } from 'react-dom';
import { Navigate, useLocation } from 'react-router';
import { useCommands } from '#platform/web/app/commands.ts';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { notices } from '#platform/web/app/notices.ts';
import { session, useSession } from '#platform/web/app/session.ts';
import { showError } from '#platform/web/app/showError.ts';
import { useUsername } from '#platform/web/app/useUsername.ts';
import { formatSize } from '#platform/web/browser/formats.ts';
import { useIsNarrow } from '#platform/web/browser/useIsNarrow.ts';
import { LoginForm } from '#platform/web/page/LoginForm.tsx';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { QueryError } from '#platform/web/ui/QueryState.tsx';
import { DownloadsPanel } from '../../downloads/web/DownloadsPanel.tsx';
import { queueLinks } from '../../downloads/web/queueLinks.ts';
import { SharedLink, useIsShared } from '../../downloads/web/SharedLink.tsx';
import { useFileDrop } from '../../downloads/web/uploads.ts';
import { useDownloads } from '../../downloads/web/useDownloads.ts';
import { player } from '../../player/web/player.ts';
import type { Library, Overlay } from '../../web/musicTypes.ts';
import { libraryOptions, getCachedLibrary, useLibrary, useLibraryChanges } from '../../web/useLibrary.ts';
import { findOccurrence, type Occurrence } from '../domain/playlist.ts';
import type { Block } from './blocks.ts';
import { useSongActions } from './overlays/libraryActions.ts';
import { PageActionsContext, type PageActions } from './pageActions.ts';
import { Playlists } from './Playlists.tsx';
import { SearchRow } from './SearchRow.tsx';
import styles from './MusicPage.module.css';

const PLACEHOLDER_KEYS = [1, 2, 3, 4];

/** A placeholder of the final height, shown after a short delay. */
export function Loading() {
  return (
    <div className={styles['loading']} role="status" aria-label="Loading">
      {PLACEHOLDER_KEYS.map((block) => (
        <div key={block} className={styles['ghost']} />
      ))}
    </div>
  );
}

const Overlays = lazyPart(async () => (await import('./overlays/Overlays.tsx')).Overlays);

/** Plays the songs of a block, starting at a song or at the first one. */
function playBlock(block: Block, from: Occurrence | undefined, library: Library | undefined): void {
  const shownSongs = block.isExpanded ? block.songs : block.playlist.songs;
  const songs = shownSongs.filter((id) => library?.songs.get(id)?.isMissing === false);
  const at = from === undefined ? 0 : findOccurrence(songs, from);
  if (at < 0 || songs.length === 0) return;
  player.play({ songs, at, playlist: block.playlist.id, name: block.playlist.title });
}

/** Returns whether Play on this song pauses or resumes, because it is the current song. */
function isToggling(song: number, playlist: number): boolean {
  const playing = player.getPlaying();
  return playing?.song === song && (playing.isPlaying || playing.playlist === playlist);
}

const addToQueue: PageActions['addToQueue'] = ({ id, title }, playlist, position) => {
  const isFirst = player.getPlaying() === undefined;
  player.addToQueue({ songs: [id], at: 0, playlist: playlist.id, name: playlist.title }, position);
  if (!isFirst) notices.add('good', position === 'next' ? `“${title}” plays next` : `Added “${title}” to the queue`);
};

function useCreatePageActions(open: (overlay: Overlay | undefined) => void) {
  const queryClient = useQueryClient();
  const songs = useSongActions();
  const shownBlocks = useRef<readonly Block[]>([]);
  const actions = useMemo((): PageActions => {
    const findBlock = (key: string): Block | undefined => shownBlocks.current.find((block) => block.key === key);
    return {
      open,
      songs,
      play: (key, occurrence) => {
        const block = findBlock(key);
        if (!block) return;
        if (isToggling(occurrence.song, block.playlist.id)) player.toggle();
        else playBlock(block, occurrence, getCachedLibrary(queryClient));
      },
      playAll: (key) => {
        const block = findBlock(key);
        if (block) playBlock(block, undefined, getCachedLibrary(queryClient));
      },
      addToQueue,
    };
  }, [open, songs, queryClient]);
  const onShown = useCallback((blocks: readonly Block[]): void => {
    shownBlocks.current = blocks;
  }, []);
  return { actions, onShown };
}

/** Shows how much of the quota is used, once it is nearly full. */
function QuotaUsage({ library }: { readonly library: Library }) {
  const { used, quota } = library;
  if (quota <= 0) return null;
  return (
    <p className={styles['room']} data-full={used > quota * 0.9 || undefined}>
      {formatSize(used)} of {formatSize(quota)}
    </p>
  );
}

interface LibraryContentProps {
  readonly library: ReturnType<typeof useLibrary>;
  readonly isNarrow: boolean;
  readonly onShown: (blocks: readonly Block[]) => void;
  readonly revealed: number | undefined;
  readonly onRevealed: () => void;
  readonly onCreate: () => void;
  readonly onAddSongs: () => void;
}

function LibraryContent(props: LibraryContentProps) {
  const { library, isNarrow, onShown, revealed, onRevealed, onCreate, onAddSongs } = props;
  const { data, error } = library;
  const isShared = useIsShared();
  if (data) {
    const isEmpty = data.songs.size === 0 && data.playlists.length <= 1;
    return (
      <>
        <Playlists library={data} isNarrow={isNarrow} onShown={onShown} revealed={revealed} onRevealed={onRevealed} />
        {isEmpty ? (
          <EmptyState icon={IconMusic} text="Songs that you add from links or files appear here">
            {isShared ? null : (
              <Button variant="primary" onClick={onAddSongs}>
                Add songs
              </Button>
            )}
            <Button onClick={onCreate}>Create playlist</Button>
          </EmptyState>
        ) : (
          <QuotaUsage library={data} />
        )}
      </>
    );
  }
  if (!error) return <Loading />;
  const retry = (): void => void library.refetch().then((result) => result.error && showError(result.error));
  return <QueryError icon={IconMusicOff} message={error.message} onRetry={retry} />;
}

function SetupProblem({ text }: { readonly text: string }) {
  return (
    <p className={styles['setupProblem']} role="status">
      <IconAlertTriangle size={17} stroke={1.75} aria-hidden />
      {text}
    </p>
  );
}

function DropOverlay() {
  return (
    <div className={styles['dropping']}>
      <p>
        <IconUpload size={20} stroke={1.75} aria-hidden />
        Drop audio files to add them to your library, or onto a playlist to add them to it
      </p>
    </div>
  );
}

const focusLink = (): void => document.querySelector<HTMLElement>('[data-link-field]')?.focus();

/** The music page of a logged-in user. */
export function Music() {
  const isNarrow = useIsNarrow();
  const queryClient = useQueryClient();
  const { username } = useUsername();
  const library = useLibrary();
  useLibraryChanges();
  const state = useDownloads();
  const { hindrance } = state;
  const [overlay, setOverlay] = useState<Overlay>();
  const [hasOpened, setHasOpened] = useState(false);
  const [revealed, setRevealed] = useState<number>();
  const open = useCallback((next: Overlay | undefined): void => {
    setOverlay(next);
    if (next) setHasOpened(true);
  }, []);
  const { actions, onShown } = useCreatePageActions(open);
  const onRevealed = useCallback(() => setRevealed(undefined), []);
  const isOwn = useCallback(
    (playlist: number): boolean => getCachedLibrary(queryClient)?.playlistById.get(playlist)?.isOwn === true,
    [queryClient],
  );
  const isDropping = useFileDrop(isOwn);
  const create = (): void => open({ name: 'createPlaylist' });
  const [isPanelOpen, setPanelOpen] = useState(false);
  function addSongs(): void {
    // The field can't be focused before it is visible.
    flushSync(() => setPanelOpen(true));
    focusLink();
  }
  useCommands([
    { id: 'music.create', name: 'Create new playlist', keys: 'n', opensField: true, run: create },
    { id: 'music.link', name: 'Download a link', opensField: true, run: addSongs },
  ]);
  const downloads = <DownloadsPanel state={state} isNarrow={isNarrow} isOpen={isPanelOpen} onToggle={setPanelOpen} />;
  return (
    <PageActionsContext value={actions}>
      <PageHeader
        title="yt mp3 downloader / manager"
        note={isNarrow ? undefined : `User: ${username === '' ? 'Not logged in' : username}`}
      >
        {isNarrow ? (
          <IconButton label="Create new playlist" onClick={create}>
            <IconPlus size={20} stroke={1.75} />
          </IconButton>
        ) : (
          <Button size="xs" leftSection={<IconPlus size={15} stroke={1.75} />} onClick={create}>
            Create new playlist
          </Button>
        )}
      </PageHeader>
      <div className={styles['main']}>
        <div>
          <div className={styles['topSection']}>
            <SharedLink />
            {hindrance === '' ? null : <SetupProblem text={hindrance} />}
            {isNarrow ? downloads : null}
            <SearchRow />
          </div>
          <LibraryContent
            library={library}
            isNarrow={isNarrow}
            onShown={onShown}
            revealed={revealed}
            onRevealed={onRevealed}
            onCreate={create}
            onAddSongs={addSongs}
          />
        </div>
        {isNarrow ? null : downloads}
      </div>
      {isDropping ? <DropOverlay /> : null}
      {hasOpened && library.data ? (
        <Suspense>
          <Overlays
            overlay={overlay}
            library={library.data}
            onOpen={open}
            onDownload={(url, playlist) => void queueLinks(url, { playlist })}
            onReveal={setRevealed}
          />
        </Suspense>
      ) : null}
    </PageActionsContext>
  );
}

/**
 * The login form. If the session ends while the page is open, it is shown on the page, so that the player continues
 * (docs/specification/pages.md section 1.2).
 */
function NotLoggedIn({ hasEnded }: { readonly hasEnded: boolean }) {
  const { pathname, search, hash, state } = useLocation();
  if (hasEnded)
    return (
      <div className={styles['login']}>
        <PageHeader title="yt mp3 downloader / manager" note="User: Not logged in" />
        <LoginForm />
      </div>
    );
  if (session.wouldAdopt(state)) return null;
  const from = session.hasLoggedOut() ? {} : { from: pathname + search + hash };
  return <Navigate to="/login" replace state={from} />;
}

/** Loads the library before the page is rendered, because it is large. */
export function prefetch(queryClient: QueryClient): void {
  // The page shows errors itself.
  if (session.getCurrent()) queryClient.query(libraryOptions).catch(() => undefined);
}

/** The page /musicmusic, 'yt mp3 downloader / manager' (docs/specification/music.md section 1). */
export default function MusicPage() {
  const isLoggedIn = useSession() !== undefined;
  const [wasLoggedIn, setWasLoggedIn] = useState(isLoggedIn);
  if (isLoggedIn && !wasLoggedIn) setWasLoggedIn(true);
  return (
    <div className={styles['page']} data-flush data-scroller>
      {isLoggedIn ? <Music /> : <NotLoggedIn hasEnded={wasLoggedIn && !session.hasLoggedOut()} />}
    </div>
  );
}
