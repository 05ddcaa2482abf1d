import manifest from '../../package.json' with { type: 'json' };

export const { version } = manifest;

/** Oldest major version of Node that runs the server, from `engines` in package.json. */
export const minimumNodeMajor = Number(/\d+/.exec(manifest.engines.node)?.[0]);
