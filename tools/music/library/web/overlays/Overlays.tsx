import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import type { Library, Overlay, OverlaysProps } from '#tools/music/web/musicTypes.ts';
import { OverlayBody } from './OverlayBody.tsx';

/** Their titles (specification 2, section 2.7; the last is ours). */
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
  addSongTo: 'Add the song to…',
};

const keyOf = (overlay: Overlay): string => Object.values(overlay).join(' ');

/** Whether what it is about is still there. */
const stands = (overlay: Overlay | undefined, { songs, playlistOf }: Library): boolean => {
  if (!overlay) return false;
  if (overlay.name === 'renameSong' || overlay.name === 'addSongTo') return songs.has(overlay.song);
  return overlay.name === 'createPlaylist' || playlistOf.has(overlay.playlist);
};

/** Gives the focus to the first thing to do of what takes another one's place: the dialog does so only as it opens. */
function Focused({ children }: { readonly children: ReactNode }) {
  const body = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    body.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus({ preventScroll: true });
  }, []);
  return <div ref={body}>{children}</div>;
}

/** The one overlay that is open. What leads from one to the next takes its place, with the focus in it. */
export function Overlays(props: OverlaysProps) {
  const { overlay, library, open } = props;
  const isOpen = stands(overlay, library);
  // While it goes it still shows what it was.
  const [last, setLast] = useState(overlay);
  const [isTyped, setIsTyped] = useState(false);
  if (isOpen && overlay !== last) {
    setLast(overlay);
    setIsTyped(false);
  }
  const close = (): void => {
    setIsTyped(false);
    open(undefined);
  };
  return (
    <Dialog
      title={last ? TITLES[last.name] : ''}
      isOpen={isOpen}
      onClose={close}
      width={480}
      lockScroll={false}
      hasUnsaved={isTyped}
    >
      {last && stands(last, library) && (
        <Focused key={keyOf(last)}>
          <OverlayBody {...props} overlay={last} close={close} onTyped={setIsTyped} />
        </Focused>
      )}
    </Dialog>
  );
}
