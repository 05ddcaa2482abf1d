import { createRoot } from 'react-dom/client';
import { getCountdownView } from '../domain/countdown.ts';
import { getSelectedTimer } from '../domain/timers.ts';
import { TimeLeft } from './Digits.tsx';
import { ending } from './ending.ts';
import { ringing } from './ringing.ts';
import { countdownActs } from './timerActions.ts';
import { isUp, useStoredTimers } from './timerState.ts';
import styles from './pinned.module.css';

/** Document Picture-in-Picture, which TypeScript's DOM types don't include yet. */
interface PictureInPicture {
  readonly window: Window | null;
  readonly requestWindow: (size: { readonly width: number; readonly height: number }) => Promise<Window>;
}

const pictureInPicture = (): PictureInPicture | undefined =>
  (window as { readonly documentPictureInPicture?: PictureInPicture }).documentPictureInPicture;

/** Returns whether this browser supports small windows that stay above all others. */
export function canPin(): boolean {
  return pictureInPicture() !== undefined;
}

/** The content of the small window: one timer with its buttons. */
function Pinned() {
  const stored = useStoredTimers();
  const { all, now } = stored;
  const timer = getSelectedTimer(all);
  if (!timer) return null;
  const shown = getCountdownView(timer.countdown, now);
  return (
    <main className={styles['pinned']} data-timer-up={isUp(stored) || undefined}>
      {all.timers.length > 1 && (
        <span className={styles['name']} dir="auto">
          {timer.name}
        </span>
      )}
      <TimeLeft shown={shown} />
      <div className={styles['buttons']}>
        <button type="button" onClick={countdownActs.reset}>
          Reset
        </button>
        <button type="button" data-go onClick={countdownActs.toggle}>
          {shown.running ? 'Pause' : 'Start'}
        </button>
        <button type="button" onClick={() => void ringing.test()}>
          Test audio
        </button>
      </div>
    </main>
  );
}

/** Copies the page's styles into another document: files as links, inline styles with the nonce of our CSP. */
const copyStyles = (target: Document): void => {
  for (const sheet of document.querySelectorAll<HTMLElement>('link[rel=stylesheet], style')) {
    const copy = target.importNode(sheet, true);
    if (copy instanceof HTMLLinkElement || sheet instanceof HTMLLinkElement)
      copy.setAttribute('href', (sheet as HTMLLinkElement).href);
    // Browsers hide the nonce attribute, so that the copy has none.
    else copy.nonce = sheet.nonce ?? '';
    target.head.append(copy);
  }
};

/** Keeps the colour scheme equal to the page's. */
const followScheme = (target: Document): MutationObserver => {
  const copy = (): void => {
    for (const { name, value } of document.documentElement.attributes)
      if (name.startsWith('data-')) target.documentElement.setAttribute(name, value);
  };
  copy();
  const observer = new MutationObserver(copy);
  observer.observe(document.documentElement, { attributes: true });
  return observer;
};

/**
 * Opens the timer in a small window above all others. Call it from a click. The window stays while the site is open.
 */
export async function pinTimer(): Promise<void> {
  const pinnedWindow = await pictureInPicture()?.requestWindow({ width: 320, height: 190 });
  if (!pinnedWindow) return;
  ending.begin();
  const { document: pinnedDocument } = pinnedWindow;
  pinnedDocument.title = 'Timer';
  pinnedDocument.documentElement.lang = 'en';
  copyStyles(pinnedDocument);
  const observer = followScheme(pinnedDocument);
  ending.listenFor(pinnedDocument);
  const container = pinnedDocument.createElement('div');
  container.id = 'root';
  pinnedDocument.body.append(container);
  const root = createRoot(container);
  root.render(<Pinned />);
  pinnedWindow.addEventListener('pagehide', () => {
    observer.disconnect();
    root.unmount();
  });
}
