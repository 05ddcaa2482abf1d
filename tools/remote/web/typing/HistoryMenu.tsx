import { call } from '#platform/web/app/call.ts';
import type { Computer } from '#platform/web/app/computers.ts';
import { MenuCheckItem, RetentionMenu, type RetentionCalls } from '#platform/web/page/RetentionMenu.tsx';
import { clearhistory, historyretention, sethistoryretention } from '../../contract.ts';
import type { RetentionControls } from './useComposer.ts';

const calls: RetentionCalls = {
  queryKey: 'historyretention',
  get: async () => (await call(historyretention, {})).period,
  set: (period) => call(sethistoryretention, { period }),
};

interface HistoryMenuProps {
  readonly selectedComputer: Computer | undefined;
  readonly retention: RetentionControls;
  /** Called when the server has deleted the history of a computer. */
  readonly onClear: (target: string) => void;
}

/** The menu that decides what is stored of sent messages, and for how long. */
export function HistoryMenu({ selectedComputer, retention, onClear }: HistoryMenuProps) {
  async function clear({ id: target }: Computer): Promise<void> {
    await call(clearhistory, { target });
    onClear(target);
  }
  return (
    <RetentionMenu
      label="History"
      calls={calls}
      clearAction={
        selectedComputer && {
          item: 'Clear history',
          title: `Clear the history of ${selectedComputer.name}?`,
          text: `Everything you sent to ${selectedComputer.name} from the dashboard or the touchpad, and everything it sent, is deleted from the server and on all your devices. Your conversation under Messages is not deleted`,
          run: () => clear(selectedComputer),
        }
      }
    >
      <MenuCheckItem
        isOn={!retention.isStoringByDefault}
        onSwitch={() => retention.setStoringByDefault(!retention.isStoringByDefault)}
      >
        Don't store what I send from this browser
      </MenuCheckItem>
    </RetentionMenu>
  );
}
