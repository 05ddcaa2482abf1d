import { Dialog } from '#platform/web/ui/Dialog.tsx';
import type { PickerProps } from './applicationList.ts';
import { DeviceChoice, type DeviceChoiceProps } from './DeviceChoice.tsx';
import { Picker } from './Picker.tsx';
import styles from './Picker.module.css';

interface PickerSheetProps {
  /** Ready to be typed into: it was opened by a key. */
  readonly isTyped: boolean;
  readonly onClose: () => void;
  readonly device: DeviceChoiceProps;
  readonly picker: PickerProps | undefined;
}

/** The picker where it has no room beside the days. Drawn while it is open. */
export function PickerSheet({ isTyped, onClose, device, picker }: PickerSheetProps) {
  return (
    <Dialog title="Apps" isOpen onClose={onClose} lockScroll={false}>
      <div className={styles['sheet']}>
        <DeviceChoice {...device} />
        {picker ? <Picker {...picker} isTyped={isTyped} /> : null}
      </div>
    </Dialog>
  );
}
