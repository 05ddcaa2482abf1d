/**
 * Flags of the Node that runs the agent. A small space for new objects saves 4 MB of memory, which its start would
 * otherwise take for good. `apps/agent/package/run.cjs` has the same ones.
 */
export const NODE_FLAGS: readonly string[] = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=1'];
