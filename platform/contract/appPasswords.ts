/** What app passwords are for. One of a kind opens nothing of another. */
export const APP_PASSWORD_KINDS = ['calendar', 'music'] as const;
export type AppPasswordKind = (typeof APP_PASSWORD_KINDS)[number];
