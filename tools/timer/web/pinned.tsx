import { createRoot } from 'react-dom/client';
import { getCountdownView } from '../domain/countdown.ts';
import { getSelectedTimer } from '../domain/timers.ts';
import { alarms } from './alarms.ts';
import { TimeLeft } from './Digits.tsx';
import { endReports } from './endReports.ts';
import { countdownActions } from './timerActions.ts';
import { hasJustEnded, useTimerSnapshot } from './timerStore.ts';
import styles from './pinned.module.css';

/** Document Picture-in-Picture, which TypeScript's DOM types don't include yet. */
interface PictureInPicture {
  readonly window: Window | null;
  readonly requestWindow: (size: { readonly width: number; readonly height: number }) => Promise<Window>;
}

const getPictureInPicture = (): PictureInPicture | undefined =>
  (window as { readonly documentPictureInPicture?: PictureInPicture }).documentPictureInPicture;

/** Returns whether this browser supports small windows that stay above all others. */
export function canPin(): boolean {
  return getPictureInPicture() !== undefined;
}

/** The content of the small window: one timer with its buttons. */
function PinnedTimer() {
  const snapshot = useTimerSnapshot();
  const { state, now } = snapshot;
  const timer = getSelectedTimer(state);
  if (!timer) return null;
  const view = getCountdownView(timer.countdown, now);
  return (
    <main className={styles['pinned']} data-timer-up={hasJustEnded(snapshot) || undefined}>
      {state.timers.length > 1 && (
        <span className={`${styles['name']} ellipsis`} dir="auto">
          {timer.name}
        </span>
      )}
      <TimeLeft view={view} />
      <div className={styles['buttons']}>
        <button type="button" onClick={countdownActions.reset}>
          Reset
        </button>
        <button type="button" data-go onClick={countdownActions.toggle}>
          {view.isRunning ? 'Pause' : 'Start'}
        </button>
        <button type="button" onClick={() => void alarms.test()}>
          Test audio
        </button>
      </div>
    </main>
  );
}

/** Copies the page's styles into another document: files as links, inline styles with the nonce of our CSP. */
function copyStyles(target: Document): void {
  for (const sheet of document.querySelectorAll<HTMLElement>('link[rel=stylesheet], style')) {
    const copy = target.importNode(sheet, true);
    if (copy instanceof HTMLLinkElement || sheet instanceof HTMLLinkElement)
      copy.setAttribute('href', (sheet as HTMLLinkElement).href);
    // Browsers hide the nonce attribute, so that the copy has none.
    else copy.nonce = sheet.nonce ?? '';
    target.head.append(copy);
  }
}

/** Keeps the colour scheme equal to the page's. */
function followColourScheme(target: Document): MutationObserver {
  function copyAttributes(): void {
    for (const { name, value } of document.documentElement.attributes)
      if (name.startsWith('data-')) target.documentElement.setAttribute(name, value);
  }
  copyAttributes();
  const observer = new MutationObserver(copyAttributes);
  observer.observe(document.documentElement, { attributes: true });
  return observer;
}

/**
 * Opens the timer in a small window above all others. Call it from a click. The window stays while the site is open.
 */
export async function pinTimer(): Promise<void> {
  const pinnedWindow = await getPictureInPicture()?.requestWindow({ width: 320, height: 190 });
  if (!pinnedWindow) return;
  endReports.start();
  const { document: pinnedDocument } = pinnedWindow;
  pinnedDocument.title = 'Timer';
  pinnedDocument.documentElement.lang = 'en';
  copyStyles(pinnedDocument);
  const observer = followColourScheme(pinnedDocument);
  endReports.watchUserInput(pinnedDocument);
  const container = pinnedDocument.createElement('div');
  container.id = 'root';
  pinnedDocument.body.append(container);
  const root = createRoot(container);
  root.render(<PinnedTimer />);
  pinnedWindow.addEventListener('pagehide', () => {
    observer.disconnect();
    root.unmount();
  });
}
