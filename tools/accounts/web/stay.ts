/** Days of a session that is not kept as a cookie. */
const SESSION_ONLY_DAYS = 1;

/** What to ask the server for: `days` where the user stays logged in, else one. */
export const daysAsked = <Days extends number>(stay: boolean, days: Days): Days | typeof SESSION_ONLY_DAYS =>
  stay ? days : SESSION_ONLY_DAYS;

/** Whether the call met no answer at all; then the browser's own alert says so (specification 1, section 8). */
export const alertNoAnswer = (error: Error): void => {
  // oxlint-disable-next-line no-alert -- the specification asks for the browser's alert
  window.alert(error.message);
};
