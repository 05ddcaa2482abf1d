import { Button } from '@mantine/core';
import { IconShare, IconLock, IconPlayerPlayFilled } from '@tabler/icons-react';
import { memo, useRef, useState } from 'react';
import { notices } from '#platform/web/app/notices.ts';
import { copyText } from '#platform/web/browser/copyText.ts';
import { formatPlayTime } from '#platform/web/browser/formats.ts';
import { getSiteAddress } from '#platform/web/browser/siteAddress.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { Switch } from '#platform/web/ui/Switch.tsx';
import { Player } from './Player.tsx';
import { formatVideoCount, formatSessionEnd, formatMoment, getVideoName, getPictureAddress } from './texts.ts';
import type { GalleryActions, Session, Video } from './useGallery.ts';
import styles from './GalleryPage.module.css';

interface ThumbProps {
  readonly video: Video;
  /** Only the owner sees private recordings. */
  readonly isPrivate: boolean;
  readonly onPlay: () => void;
}

/** The picture of a recording. A click replaces it by its player. */
export function Thumb({ video, isPrivate, onPlay }: ThumbProps) {
  const [failedPicture, setFailedPicture] = useState('');
  const picture = getPictureAddress(video);
  const name = getVideoName(video);
  const label = `Play ${name}, ${formatPlayTime(video.duration)}${isPrivate ? ', private' : ''}`;
  return (
    <button
      type="button"
      className={styles['thumb']}
      aria-label={label}
      title={name}
      data-video={video.file}
      onClick={onPlay}
    >
      {failedPicture === picture ? (
        <span className={styles['failed']}>[failedload]</span>
      ) : (
        <img src={picture} alt="" loading="lazy" decoding="async" onError={() => setFailedPicture(picture)} />
      )}
      <span className={styles['play']}>
        <IconPlayerPlayFilled size={18} />
      </span>
      {isPrivate ? (
        <span className={styles['lock']}>
          <IconLock size={14} stroke={2} />
        </span>
      ) : null}
      {video.title === '' ? null : (
        <span className={`${styles['name']} ellipsis`} dir="auto">
          {video.title}
        </span>
      )}
      <span className={`${styles['length']} num`}>{formatPlayTime(video.duration)}</span>
    </button>
  );
}

interface SessionSectionProps {
  readonly session: Session;
  /** The playing recording, if it belongs to this session. */
  readonly playing: string | undefined;
  readonly actions: GalleryActions;
  readonly onPlay: (file: string) => void;
  readonly onClose: () => void;
  readonly onStep: (by: 1 | -1) => void;
}

/** Returns a link to this session, valid while its first recording exists. */
const getSessionLink = ({ files }: Session): string => `${getSiteAddress()}/cw#${files[0] ?? ''}`;

async function share(session: Session): Promise<void> {
  const url = getSessionLink(session);
  // Without a secure context `navigator.share` is missing, although its type says otherwise.
  const canShare = 'share' in navigator && window.matchMedia('(pointer: coarse)').matches;
  if (canShare) {
    await navigator.share({ url, title: `Session from ${formatMoment(session.start)}` }).catch(() => undefined);
    return;
  }
  if (await copyText(url)) notices.add('good', 'Link to this session copied');
  else notices.add('info', `Link to this session: ${url}`);
}

/** Publishes a session or makes it private. A mixed session has a button for each. */
function Publicity({ session, actions }: Pick<SessionSectionProps, 'session' | 'actions'>) {
  const { files, videos } = session;
  const container = useRef<HTMLSpanElement>(null);
  function publish(isPublic: boolean): void {
    // The buttons disappear once they are pressed.
    container.current?.focus();
    actions.publish(files, isPublic);
  }
  const isMixed = !session.public && videos.some((video) => video.public);
  return (
    <span ref={container} className={styles['publicity']} role="group" tabIndex={-1} aria-label="Who sees this session">
      {isMixed ? (
        <>
          <Button size="compact-md" onClick={() => publish(false)}>
            Make all private
          </Button>
          <Button size="compact-md" onClick={() => publish(true)}>
            Make all public
          </Button>
        </>
      ) : (
        <Switch label="Public" isOn={session.public} onChange={(isOn) => actions.publish(files, isOn)} />
      )}
    </span>
  );
}

/** One session with its time and recordings. */
export const SessionSection = memo(({ session, playing, actions, onPlay, onClose, onStep }: SessionSectionProps) => {
  const { start, end, own, videos } = session;
  const publicCount = videos.filter((video) => video.public).length;
  const publicText = own && publicCount > 0 && publicCount < videos.length ? `, ${publicCount} of them public` : '';
  return (
    <section
      className={styles['session']}
      data-session={session.files[0]}
      aria-label={`Session from ${formatMoment(start)}`}
    >
      <header>
        <h2>
          Session from <span className="num">{formatMoment(start)}</span> to{' '}
          <span className="num">{formatSessionEnd(start, end)}</span>
        </h2>
        <span className={styles['count']}>
          {formatVideoCount(videos.length)}
          {publicText}
        </span>
        <span className={styles['tools']}>
          {own ? <Publicity session={session} actions={actions} /> : null}
          {session.public ? (
            <IconButton label="Share this session" onClick={() => void share(session)}>
              <IconShare size={18} stroke={1.75} />
            </IconButton>
          ) : null}
        </span>
      </header>
      <div className={styles['grid']}>
        {videos.map((video) =>
          video.file === playing ? (
            <Player
              key={video.file}
              video={video}
              actions={own ? actions : undefined}
              onClose={onClose}
              onStep={onStep}
            />
          ) : (
            <Thumb key={video.file} video={video} isPrivate={!video.public} onPlay={() => onPlay(video.file)} />
          ),
        )}
      </div>
    </section>
  );
});
