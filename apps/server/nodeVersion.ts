import manifest from '../../package.json' with { type: 'json' };

/** Oldest supported major version of Node, from `engines` in package.json. */
export const MIN_NODE_MAJOR = Number(/\d+/.exec(manifest.engines.node)?.[0]);

/** Returns whether the running Node is new enough. */
export const isNodeSupported = (): boolean => Number(process.versions.node.split('.')[0]) >= MIN_NODE_MAJOR;
