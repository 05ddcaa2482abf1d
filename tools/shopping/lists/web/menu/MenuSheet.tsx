import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { ListsMenu, type ListsMenuProps } from './ListsMenu.tsx';

interface MenuSheetProps extends ListsMenuProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** The menu in a narrow window; a selection closes it. */
export function MenuSheet({ isOpen, onClose, onSelect, onCreate, ...lists }: MenuSheetProps) {
  return (
    <Dialog title="Shopping Planner" isOpen={isOpen} onClose={onClose}>
      <ListsMenu
        {...lists}
        onSelect={(key) => {
          onClose();
          onSelect(key);
        }}
        onCreate={() => {
          onClose();
          onCreate();
        }}
      />
    </Dialog>
  );
}
