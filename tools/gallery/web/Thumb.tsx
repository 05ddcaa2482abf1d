import { IconLock, IconPlayerPlayFilled } from '@tabler/icons-react';
import { useState } from 'react';
import { lengthText, nameOf, pictureAddress } from './texts.ts';
import type { Video } from './useGallery.ts';
import styles from './GalleryPage.module.css';

interface ThumbProps {
  readonly video: Video;
  /** Only the owner sees private ones. */
  readonly isPrivate: boolean;
  readonly play: () => void;
}

/** The picture of a recording; pressed it turns into its player. */
export function Thumb({ video, isPrivate, play }: ThumbProps) {
  const [failed, setFailed] = useState('');
  const picture = pictureAddress(video);
  const name = nameOf(video);
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
