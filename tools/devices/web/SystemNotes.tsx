import type { ReactNode } from 'react';
import type { OperatingSystem } from './operatingSystem.ts';
import styles from './pairing.module.css';

const NODE_NOTE = 'Needs npm, and installs its own Node if yours is too old. Nothing is installed system-wide';

/** Says where to run the command. */
const terminalNotes: Readonly<Record<OperatingSystem, string>> = {
  windows: 'Run this in PowerShell as yourself, not as administrator',
  macos: 'Run this in Terminal as yourself, not as root',
  linux: 'Run this in a terminal as yourself, not as root',
};

interface Expectation {
  /** A desktop or a permission. */
  readonly name: string;
  readonly text: ReactNode;
}

/** What the system asks for, and what it needs before everything works. */
const expectations: Readonly<Record<OperatingSystem, readonly Expectation[]>> = {
  windows: [{ name: 'Permissions', text: 'none. Windows of programs that run as administrator stay out of reach' }],
  macos: [
    { name: 'Accessibility', text: 'lets the agent type and move the mouse' },
    {
      name: 'Screen Recording',
      text: 'lets it read window titles and record the screen. From macOS 15 on, its name is Screen & System Audio Recording. Switch both on under Privacy & Security for the program in which you started the agent, and start the agent again',
    },
    {
      name: 'Not tried by us',
      text: (
        <>
          run the agent with <code>try</code> there, and report what failed
        </>
      ),
    },
  ],
  linux: [
    { name: 'X11, sway, labwc', text: 'nothing to set up' },
    {
      name: 'GNOME on Wayland',
      text: (
        <>
          for screen time and hotkeys run the agent with <code>gnome-extension install</code>, and sign out once
        </>
      ),
    },
    {
      name: 'KDE on Wayland',
      text: (
        <>
          types after the agent was run with <code>install</code>, which adds the desktop file that KDE requires
        </>
      ),
    },
  ],
};

/** Where to run the command on a system, and what to expect there. */
export function SystemNotes({ system }: { readonly system: OperatingSystem }) {
  return (
    <>
      <p className={styles['note']}>
        {terminalNotes[system]}. {NODE_NOTE}
      </p>
      <ul className={styles['expectations']} aria-label="What to expect">
        {expectations[system].map(({ name, text }) => (
          <li key={name}>
            <b>{name}:</b> {text}
          </li>
        ))}
      </ul>
    </>
  );
}
