import { Button } from '@mantine/core';
import { IconPictureInPicture } from '@tabler/icons-react';
import { useOfflineState } from '#platform/web/app/useOfflineState.ts';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { Image } from '#platform/web/ui/Image.tsx';
import { Steps } from '#platform/web/ui/Steps.tsx';
import { timerPage } from '../page.ts';
import { canPin, pinTimer } from './pinned.tsx';
import { getPictureAddress, STEPS } from './steps.ts';
import styles from './TimerHelpPage.module.css';

function TryIt() {
  if (canPin())
    return (
      <>
        <p>This browser can open a small window that stays on top. The nine steps are for browsers that can't</p>
        <Button
          variant="primary"
          leftSection={<IconPictureInPicture size={18} stroke={1.75} />}
          onClick={() => void pinTimer()}
        >
          Open small window
        </Button>
      </>
    );
  if (!isSecureContext())
    return (
      <p>
        <HttpsHint>Small windows and installing a page need https</HttpsHint>
      </p>
    );
  return <p>This browser can't open a small window. Follow the nine steps to create one</p>;
}

/**
 * Explains how to show the timer in a small window above all others:
 * with one click if the browser supports it, otherwise in nine steps.
 */
export default function TimerHelpPage() {
  useOfflineState();
  return (
    <>
      <PageHeader>
        <PageLink to={timerPage.path}>Back to the timer</PageLink>
      </PageHeader>
      <div className={styles['page']}>
        <div className={styles['example']}>
          <TryIt />
          <p>
            For full screen, press <kbd>f</kbd> on the timer
          </p>
        </div>
        <Steps roomy className={styles['steps']}>
          {STEPS.map(({ text, note, alt, width, height }, index) => (
            <li key={text}>
              <div className={styles['step']}>
                <div className={styles['text']}>
                  <p>{text}</p>
                  {note !== undefined && <p className={styles['note']}>{note}</p>}
                </div>
                <Image
                  className={styles['picture']}
                  src={getPictureAddress(index + 1)}
                  alt={alt}
                  width={width}
                  height={height}
                  loading="lazy"
                />
              </div>
            </li>
          ))}
        </Steps>
      </div>
    </>
  );
}
