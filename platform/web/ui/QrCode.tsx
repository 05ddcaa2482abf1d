import { encode } from 'uqr';
import styles from './QrCode.module.css';

interface QrCodeProps {
  readonly text: string;
  readonly size: number;
  /** Accessible name, for texts that are too long to listen to. */
  readonly label?: string;
}

/** Renders a text as a QR code, dark on light in both schemes, because some cameras can't read the inverse. */
export function QrCode({ text, size, label = `QR code for ${text}` }: QrCodeProps) {
  const { data, size: cells } = encode(text, { border: 0 });
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg
      className={styles['qr']}
      width={size}
      height={size}
      viewBox={`0 0 ${cells} ${cells}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label={label}
    >
      <path d={path} />
    </svg>
  );
}
