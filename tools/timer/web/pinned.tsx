import { createRoot } from 'react-dom/client';
import { at } from '../domain/countdown.ts';
import { chosenTimer } from '../domain/timers.ts';
import { TimeLeft } from './Digits.tsx';
import { ending } from './ending.ts';
import { ringing } from './ringing.ts';
import { countdownActs } from './timerActions.ts';
import { isUp, useKept } from './timerState.ts';
import styles from './pinned.module.css';

/** Document Picture-in-Picture, which the DOM's types do not know yet. */
interface PictureInPicture {
  readonly window: Window | null;
  readonly requestWindow: (size: { readonly width: number; readonly height: number }) => Promise<Window>;
}

const pictureInPicture = (): PictureInPicture | undefined =>
  (window as { readonly documentPictureInPicture?: PictureInPicture }).documentPictureInPicture;

/** Whether this browser has small windows that stay above all others. */
export function canPin(): boolean {
  return pictureInPicture() !== undefined;
}

/** The timer of the small window, with buttons of its own; no part of the site stands round it. */
function Pinned() {
  const kept = useKept();
  const { all, now } = kept;
  const timer = chosenTimer(all);
  if (!timer) return null;
  const shown = at(timer.countdown, now);
  return (
    <main className={styles['pinned']} data-timer-up={isUp(kept) || undefined}>
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

/** The page's styles, for a document that has none: files as links, and what scripts wrote with the nonce that our policy asks for. */
const copyStyles = (to: Document): void => {
  for (const sheet of document.querySelectorAll<HTMLElement>('link[rel=stylesheet], style')) {
    const copy = to.importNode(sheet, true);
    if (copy instanceof HTMLLinkElement || sheet instanceof HTMLLinkElement)
      copy.setAttribute('href', (sheet as HTMLLinkElement).href);
    // The attribute reads empty.
    else copy.nonce = sheet.nonce ?? '';
    to.head.append(copy);
  }
};

/** The colour scheme goes with the page's, also when it changes. */
const followScheme = (to: Document): MutationObserver => {
  const copy = (): void => {
    for (const { name, value } of document.documentElement.attributes)
      if (name.startsWith('data-')) to.documentElement.setAttribute(name, value);
  };
  copy();
  const observer = new MutationObserver(copy);
  observer.observe(document.documentElement, { attributes: true });
  return observer;
};

/** Opens the timer in a small window above all others; to be called by a click. It stays as long as the site is open. */
export async function pinTimer(): Promise<void> {
  const small = await pictureInPicture()?.requestWindow({ width: 320, height: 190 });
  if (!small) return;
  ending.begin();
  const { document: own } = small;
  own.title = 'Timer';
  own.documentElement.lang = 'en';
  copyStyles(own);
  const observer = followScheme(own);
  ending.listenFor(own);
  const place = own.createElement('div');
  place.id = 'root';
  own.body.append(place);
  const root = createRoot(place);
  root.render(<Pinned />);
  small.addEventListener('pagehide', () => {
    observer.disconnect();
    root.unmount();
  });
}
