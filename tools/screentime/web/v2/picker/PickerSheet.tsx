import { useEffect } from 'react';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import type { PickerProps } from './apps.ts';
import { DeviceChoice, type DeviceChoiceProps } from './DeviceChoice.tsx';
import { Picker } from './Picker.tsx';
import styles from './Picker.module.css';

interface PickerSheetProps {
  /** Done once it is open. */
  readonly onOpen: () => void;
  readonly onClose: () => void;
  readonly device: DeviceChoiceProps;
  readonly picker: PickerProps | undefined;
}

function Opened({ onOpen }: Pick<PickerSheetProps, 'onOpen'>) {
  useEffect(() => {
    // The dialog gives the focus to its first field as it opens: what is done comes after that.
    const frame = requestAnimationFrame(() => requestAnimationFrame(onOpen));
    return () => cancelAnimationFrame(frame);
  }, [onOpen]);
  return null;
}

/** The picker where it has no room beside the days. Drawn while it is open. */
export function PickerSheet({ onOpen, onClose, device, picker }: PickerSheetProps) {
  return (
    <Dialog title="Apps" opened onClose={onClose} lockScroll={false}>
      <Opened onOpen={onOpen} />
      <div className={styles['sheet']}>
        <DeviceChoice {...device} />
        {picker ? <Picker {...picker} /> : null}
      </div>
    </Dialog>
  );
}
