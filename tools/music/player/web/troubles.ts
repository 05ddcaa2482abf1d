/** What hinders playing, as the player's bar says it. */
export const troubles = {
  offline: 'The server cannot be reached. It plays on when the line is back.',
  slow: 'The line is slow.',
  press: 'The browser lets nothing sound by itself. Press Play.',
  logIn: 'Log in to go on playing.',
} as const;
