import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import type { Library, Overlay, OverlaysProps } from '#tools/music/web/musicTypes.ts';
import { OverlayBody } from './OverlayBody.tsx';

/** Titles of the overlays (docs/specification/music.md section 1.4). The last one is not in the specification. */
const TITLES: Readonly<Record<Overlay['name'], string>> = {
  createPlaylist: 'Create new playlist',
  renamePlaylist: 'Change playlist name',
  renameSong: 'Change Song name',
  copyPlaylist: 'Copy playlist',
  addTo: 'Add To Playlist',
  addExistingSong: 'Add Existing Song',
  mergeExisting: 'Merge Existing Playlist',
  addNewSong: 'Add New Song',
  mergeNew: 'Merge New Playlist',
  options: 'Playlist Options',
  addSongTo: 'Add song to…',
};

const getKey = (overlay: Overlay): string => Object.values(overlay).join(' ');

/** Returns whether the subject of an overlay still exists. */
function hasSubject(overlay: Overlay | undefined, { songs, playlistById }: Library): boolean {
  if (!overlay) return false;
  if (overlay.name === 'renameSong' || overlay.name === 'addSongTo') return songs.has(overlay.song);
  return overlay.name === 'createPlaylist' || playlistById.has(overlay.playlist);
}

/** Focuses the first control after one overlay replaces another, because the dialog only does that when it opens. */
function AutoFocus({ children }: { readonly children: ReactNode }) {
  const body = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    body.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus({ preventScroll: true });
  }, []);
  return <div ref={body}>{children}</div>;
}

/** The open overlay. An overlay that leads to another one is replaced by it, and the focus moves along. */
export function Overlays(props: OverlaysProps) {
  const { overlay, library, onOpen } = props;
  const isOpen = hasSubject(overlay, library);
  // Keeps showing the last overlay during the closing animation.
  const [last, setLast] = useState(overlay);
  const [isTyped, setIsTyped] = useState(false);
  if (isOpen && overlay !== last) {
    setLast(overlay);
    setIsTyped(false);
  }
  function close(): void {
    setIsTyped(false);
    onOpen(undefined);
  }
  return (
    <Dialog
      title={last ? TITLES[last.name] : ''}
      isOpen={isOpen}
      onClose={close}
      width={480}
      lockScroll={false}
      hasUnsaved={isTyped}
    >
      {last && hasSubject(last, library) && (
        <AutoFocus key={getKey(last)}>
          <OverlayBody {...props} overlay={last} onClose={close} onTyped={setIsTyped} />
        </AutoFocus>
      )}
    </Dialog>
  );
}
