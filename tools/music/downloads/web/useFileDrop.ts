import { useEffect, useState } from 'react';
import { uploadStore } from './uploads.ts';

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;

/** Returns the playlist below dragged files, if files can be added to it. */
const findPlaylistAt = (event: DragEvent, isOwn: (playlist: number) => boolean): HTMLElement | undefined => {
  const block = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-playlist]') : undefined;
  return block && isOwn(Number(block.dataset['playlist'])) ? block : undefined;
};

/**
 * Uploads files that are dropped on the page, or on a playlist to add them to it. Returns whether files are dragged
 * over it.
 */
export function useDrop(isOwn: (playlist: number) => boolean): boolean {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    let marked: HTMLElement | undefined;
    const mark = (next: HTMLElement | undefined): void => {
      if (next === marked) return;
      delete marked?.dataset['dropped'];
      marked = next;
      if (next) next.dataset['dropped'] = '';
    };
    const over = new AbortController();
    const listen = (type: 'dragover' | 'dragleave' | 'drop', then: (event: DragEvent) => void): void =>
      document.addEventListener(type, (event) => hasFiles(event) && then(event), { signal: over.signal });
    const end = (): void => {
      mark(undefined);
      setIsOver(false);
    };
    listen('dragover', (event) => {
      event.preventDefault();
      mark(findPlaylistAt(event, isOwn));
      setIsOver(true);
    });
    listen('dragleave', (event) => {
      // The pointer has left the window.
      if (event.relatedTarget === null) end();
    });
    listen('drop', (event) => {
      event.preventDefault();
      const block = findPlaylistAt(event, isOwn);
      end();
      uploadStore.add([...(event.dataTransfer?.files ?? [])], block ? Number(block.dataset['playlist']) : undefined);
    });
    return () => {
      over.abort();
      mark(undefined);
    };
  }, [isOwn]);
  return isOver;
}
