#!/usr/bin/env node
// Runs the agent on a Node that is new enough: the one that runs this file, or the one that npm installed with it.
// Written in old JavaScript, because it must run on old versions of Node.
'use strict';
const path = require('path');
const spawn = require('child_process').spawn;
const getNodePackage = require('./nodePackage.cjs').getNodePackage;

const MIN_NODE_MAJOR = 24;
const agent = path.join(__dirname, 'agent.mjs');

function isTooOld() {
  return Number(process.versions.node.split('.')[0]) < MIN_NODE_MAJOR;
}

/** Whether this Node can call into the system, which the agent needs on all desktops but X11. */
function hasFfi() {
  const isBuiltin = require('module').isBuiltin;
  return typeof isBuiltin === 'function' && isBuiltin('node:ffi');
}

/** Returns the path of Node. If npm installed none, it is the running one, and the agent says which one it needs. */
function findNode() {
  if (hasFfi()) return process.execPath;
  try {
    const node = getNodePackage(process.platform, process.arch);
    return path.join(path.dirname(require.resolve(node.name + '/package.json')), node.program);
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    return process.execPath;
  }
}

const node = findNode();
// Old versions of Node don't know the flag.
const flags = node === process.execPath && isTooOld() ? [] : ['--disable-warning=ExperimentalWarning'];
const args = flags.concat(agent, process.argv.slice(2));
const child = spawn(node, args, { stdio: 'inherit' });
// A terminal sends Ctrl-C to the whole group, so the child has it already.
['SIGINT', 'SIGTERM', 'SIGHUP'].forEach(function (signal) {
  process.on(signal, function () {
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  });
});
child.on('exit', function (code, signal) {
  process.exit(signal ? 1 : code);
});
