import { Button } from '@mantine/core';
import { IconShare, IconLock, IconPlayerPlayFilled } from '@tabler/icons-react';
import { memo, useRef, useState } from 'react';
import { notices } from '#platform/web/app/notices.ts';
import { copyText } from '#platform/web/browser/clipboard.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { Switch } from '#platform/web/ui/Switch.tsx';
import { Player } from './Player.tsx';
import { countText, endText, momentText, lengthText, getName, pictureAddress } from './texts.ts';
import type { GalleryActions, Session, Video } from './useGallery.ts';
import styles from './GalleryPage.module.css';

interface ThumbProps {
  readonly video: Video;
  /** Only the owner sees private recordings. */
  readonly isPrivate: boolean;
  readonly play: () => void;
}

/** The picture of a recording; a click turns it into its player. */
export function Thumb({ video, isPrivate, play }: ThumbProps) {
  const [failed, setFailed] = useState('');
  const picture = pictureAddress(video);
  const name = getName(video);
  const label = `Play ${name}, ${lengthText(video.duration)}${isPrivate ? ', private' : ''}`;
  return (
    <button
      type="button"
      className={styles['thumb']}
      aria-label={label}
      title={name}
      data-video={video.file}
      onClick={play}
    >
      {failed === picture ? (
        <span className={styles['failed']}>[failedload]</span>
      ) : (
        <img src={picture} alt="" loading="lazy" decoding="async" onError={() => setFailed(picture)} />
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
        <span className={styles['name']} dir="auto">
          {video.title}
        </span>
      )}
      <span className={`${styles['length']} num`}>{lengthText(video.duration)}</span>
    </button>
  );
}

interface SessionSectionProps {
  readonly session: Session;
  /** The playing recording, if it belongs to this session. */
  readonly playing: string | undefined;
  readonly actions: GalleryActions;
  readonly play: (file: string) => void;
  readonly stop: () => void;
  readonly turn: (by: 1 | -1) => void;
}

/** Returns a link to this session, valid while its first recording exists. */
const createLink = ({ files }: Session): string => `${window.location.origin}/cw#${files[0] ?? ''}`;

const share = async (session: Session): Promise<void> => {
  const url = createLink(session);
  // Without a secure context `navigator.share` is missing, although its type says otherwise.
  const canShare = 'share' in navigator && window.matchMedia('(pointer: coarse)').matches;
  if (canShare) {
    await navigator.share({ url, title: `Session from ${momentText(session.start)}` }).catch(() => undefined);
    return;
  }
  if (await copyText(url)) notices.add('good', 'Link to this session copied');
  else notices.add('info', `Link to this session: ${url}`);
};

/** Shows whether a session is public; for a mixed session it offers both choices. */
function Publicity({ session, actions }: Pick<SessionSectionProps, 'session' | 'actions'>) {
  const { files, videos } = session;
  const container = useRef<HTMLSpanElement>(null);
  const publish = (isPublic: boolean): void => {
    // The buttons disappear once they are pressed.
    container.current?.focus();
    actions.publish(files, isPublic);
  };
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
export const SessionSection = memo(({ session, playing, actions, play, stop, turn }: SessionSectionProps) => {
  const { start, end, own, videos } = session;
  const publicCount = videos.filter((video) => video.public).length;
  const someText = own && publicCount > 0 && publicCount < videos.length ? `, ${publicCount} of them public` : '';
  return (
    <section
      className={styles['session']}
      data-session={session.files[0]}
      aria-label={`Session from ${momentText(start)}`}
    >
      <header>
        <h2>
          Session from <span className="num">{momentText(start)}</span> to{' '}
          <span className="num">{endText(start, end)}</span>
        </h2>
        <span className={styles['count']}>
          {countText(videos.length)}
          {someText}
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
            <Player key={video.file} video={video} actions={own ? actions : undefined} stop={stop} turn={turn} />
          ) : (
            <Thumb key={video.file} video={video} isPrivate={!video.public} play={() => play(video.file)} />
          ),
        )}
      </div>
    </section>
  );
});
