import type { Icon } from '../tool.ts';

interface NamedIconProps {
  readonly icon: Icon;
  /** Tooltip and text for screen readers. */
  readonly name: string;
  readonly className: string | undefined;
}

/** A small icon that replaces a word. */
export function NamedIcon({ icon: Icon, name, className }: NamedIconProps) {
  return (
    <span className={className} title={name}>
      <Icon size={15} stroke={1.75} />
      <span className="unseen">{name}</span>
    </span>
  );
}
