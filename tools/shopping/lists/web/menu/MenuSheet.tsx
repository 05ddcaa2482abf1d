import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { Lists, type ListsProps } from './ListsMenu.tsx';

interface MenuSheetProps extends ListsProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** The menu in a narrow window; a selection closes it. */
export function MenuSheet({ opened, onClose, onPick, onCreate, ...lists }: MenuSheetProps) {
  return (
    <Dialog title="Shopping Planner" isOpen={opened} onClose={onClose}>
      <Lists
        {...lists}
        onPick={(key) => {
          onClose();
          onPick(key);
        }}
        onCreate={() => {
          onClose();
          onCreate();
        }}
      />
    </Dialog>
  );
}
