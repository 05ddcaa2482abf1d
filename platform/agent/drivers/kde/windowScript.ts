// The part of the agent that runs inside of KWin.

/** What the script reports, as JSON in one text. */
export interface WindowReport {
  /** Id of the window with the focus, also of one that is not listed. */
  readonly active: string | null;
  readonly windows: readonly { readonly id: string; readonly application: string; readonly pid: number }[];
  /** Size of all screens together. */
  readonly width: number;
  readonly height: number;
}

export interface ReportTarget {
  /** The agent's unique name on the bus. */
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
}

/** The script of a killed agent stays loaded. After so many unanswered calls it checks whether the agent runs. */
const MAX_UNANSWERED_REPORTS = 50;

const quote = (...texts: readonly string[]): string => texts.map((text) => JSON.stringify(text)).join(', ');

/**
 * Returns a script that calls the agent at the start, and whenever the windows or the focus change. KWin 5 and 6 have
 * different names for the same things.
 */
export function createWindowScript({ destination, path, interface: interfaceName, member }: ReportTarget): string {
  return `
function listWindows() {
  return workspace.windowList ? workspace.windowList() : workspace.clientList();
}
function getActive() {
  return workspace.activeWindow === undefined ? workspace.activeClient : workspace.activeWindow;
}
function isListed(window) {
  return (window.normalWindow || window.dialog) && !window.popupWindow && !window.deleted;
}
function describe(window) {
  return { id: String(window.internalId), application: String(window.resourceClass), pid: Number(window.pid) || 0 };
}
var unanswered = 0;
var hasEnded = false;
function report() {
  if (hasEnded) return;
  unanswered += 1;
  if (unanswered % ${MAX_UNANSWERED_REPORTS} === 0)
    callDBus(${quote('org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'NameHasOwner', destination)},
      function (isRunning) { hasEnded = !isRunning; });
  var active = getActive();
  var size = workspace.virtualScreenSize;
  callDBus(${quote(destination, path, interfaceName, member)}, JSON.stringify({
    active: active ? String(active.internalId) : null,
    windows: listWindows().filter(isListed).map(describe),
    width: size.width,
    height: size.height
  }), function () { unanswered = 0; });
}
function watch(window) {
  if (window.windowClassChanged) window.windowClassChanged.connect(report);
}
function add(window) {
  watch(window);
  report();
}
[
  workspace.windowActivated || workspace.clientActivated,
  workspace.windowRemoved || workspace.clientRemoved,
  workspace.virtualScreenSizeChanged
].forEach(function (signal) { if (signal) signal.connect(report); });
(workspace.windowAdded || workspace.clientAdded).connect(add);
listWindows().forEach(watch);
report();
`;
}
