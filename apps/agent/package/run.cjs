#!/usr/bin/env node
// Runs the agent on a Node new enough: the one running this, or the one that npm brought along.
// Plain old JavaScript, because it must run on old Nodes.
'use strict';
const path = require('path');
const spawn = require('child_process').spawn;

const OLDEST = 24;
const agent = path.join(__dirname, 'agent.mjs');

/** The Node to run on; the running one where npm brought none: the agent then says what it needs. */
function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= OLDEST) return process.execPath;
  try {
    const name = 'node-' + process.platform + '-' + process.arch;
    return path.join(path.dirname(require.resolve(name + '/package.json')), 'bin', 'node');
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    return process.execPath;
  }
}

const node = findNode();
const quiet = node === process.execPath && Number(process.versions.node.split('.')[0]) < OLDEST;
const args = (quiet ? [] : ['--disable-warning=ExperimentalWarning']).concat(agent, process.argv.slice(2));
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
