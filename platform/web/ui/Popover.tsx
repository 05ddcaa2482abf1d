import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  useEffectEvent,
} from 'react';
import styles from './Popover.module.css';

/** Calls `onPress` when a pointer is pressed anywhere outside the element that `getInside` returns. */
export function usePressOutside(
  getInside: () => Element | null | undefined,
  onPress: () => void,
  isActive = true,
): void {
  const handlePress = useEffectEvent((event: Event): void => {
    if (!(event.target instanceof Node && getInside()?.contains(event.target))) onPress();
  });
  useEffect(() => {
    if (!isActive) return undefined;
    const handle = (event: Event): void => handlePress(event);
    document.addEventListener('pointerdown', handle);
    return () => document.removeEventListener('pointerdown', handle);
  }, [isActive]);
}

interface PopoverProps {
  /** Accessible name of the popover. */
  readonly label: string;
  /** Renders the button with these props. */
  readonly renderButton: (props: {
    readonly 'aria-haspopup': 'dialog';
    readonly 'aria-expanded': boolean;
    readonly onClick: () => void;
  }) => ReactNode;
  readonly width?: number;
  /** `close` returns the focus to the button. */
  readonly children: (close: () => void) => ReactNode;
  /** Letter that opens it while the button has the focus. */
  readonly letter?: string;
}

const EDGE_PX = 12;

function PopoverContent({
  label,
  width,
  onClose,
  children,
}: {
  label: string;
  width: number;
  onClose: (returnsFocus: boolean) => void;
  children: PopoverProps['children'];
}) {
  const box = useRef<HTMLDivElement>(null);
  const [shift, setShift] = useState(0);
  useLayoutEffect(() => {
    const rect = box.current?.getBoundingClientRect();
    if (rect) setShift(Math.min(0, document.documentElement.clientWidth - EDGE_PX - rect.right));
    box.current?.querySelector<HTMLElement>('[data-first], input, button')?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest' });
    function handleFocusIn(event: FocusEvent): void {
      if (event.target instanceof Node && !box.current?.parentElement?.contains(event.target)) onClose(false);
    }
    document.addEventListener('focusin', handleFocusIn);
    return () => document.removeEventListener('focusin', handleFocusIn);
  }, [onClose]);
  // The button toggles the popover itself.
  usePressOutside(
    () => box.current?.parentElement,
    () => onClose(false),
  );
  function handleKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    onClose(true);
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- handles keys of its fields and buttons
    <div
      ref={box}
      className={`${styles['popover']} popup`}
      role="dialog"
      aria-label={label}
      data-popup
      style={{ width: `min(${width}px, calc(100vw - ${2 * EDGE_PX}px))`, left: shift }}
      onKeyDown={handleKeyDown}
    >
      {children(() => onClose(true))}
    </div>
  );
}

/** A button with a popover below it. Esc, a click elsewhere and moving the focus close it. */
export function Popover({ label, renderButton, width = 264, children, letter }: PopoverProps) {
  const container = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const close = useCallback((returnsFocus: boolean): void => {
    setIsOpen(false);
    if (returnsFocus) container.current?.querySelector<HTMLElement>('[aria-haspopup]')?.focus({ preventScroll: true });
  }, []);
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- handles keys of the button
    <div
      ref={container}
      className={styles['container']}
      onKeyDown={(event) => {
        if (isOpen || event.key !== letter || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        setIsOpen(true);
      }}
    >
      {renderButton({ 'aria-haspopup': 'dialog', 'aria-expanded': isOpen, onClick: () => setIsOpen(!isOpen) })}
      {isOpen && (
        <PopoverContent label={label} width={width} onClose={close}>
          {children}
        </PopoverContent>
      )}
    </div>
  );
}
