// Names of the npm packages that bring Node. Written in old JavaScript, because it must run on old versions of Node.
'use strict';

/** Returns the package with Node for a system, and the path of the program in it. */
function getNodePackage(platform, arch) {
  const system = platform === 'win32' ? 'win' : platform;
  const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node';
  return {
    name: prefix + '-' + system + '-' + arch,
    program: platform === 'win32' ? 'bin/node.exe' : 'bin/node',
  };
}

module.exports = { getNodePackage: getNodePackage };
