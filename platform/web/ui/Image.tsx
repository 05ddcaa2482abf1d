import { useState, type ComponentProps } from 'react';
import styles from './Image.module.css';

interface ImageProps extends ComponentProps<'img'> {
  readonly src: string;
  readonly alt: string;
  readonly width: number;
  readonly height: number;
}

/**
 * An image. If loading fails, it shows '[failedload]' in a box of the same size (docs/specification/platform.md section
 * 5).
 */
export function Image({ src, alt, width, height, className, ...rest }: ImageProps) {
  const [failedSrc, setFailedSrc] = useState('');
  if (failedSrc === src)
    return (
      <span className={styles['failed']} style={{ width, height }} role="img" aria-label={`${alt} [failedload]`.trim()}>
        [failedload]
      </span>
    );
  return (
    <img
      {...rest}
      className={className}
      src={src}
      alt={alt}
      width={width}
      height={height}
      onError={() => setFailedSrc(src)}
    />
  );
}
