#!/usr/bin/env node
// The command of the package. In ECMAScript 5 except `import()`, so that every version of Node can run it.
'use strict';

if (Number(process.versions.node.split('.')[0]) < 20) {
  console.error('Node ' + process.versions.node + ' is too old: install Node 20 or later, https://nodejs.org.');
  process.exit(1);
}

// zsh reads no comments on a command line and passes them on as arguments.
for (var at = 2; at < process.argv.length; at += 1) if (process.argv[at].charAt(0) === '#') process.argv.length = at;

// A reader that closes early (`| head`) stops neither the work nor its exit code.
[process.stdout, process.stderr].forEach(function (stream) {
  stream.on('error', function (error) {
    if (error.code !== 'EPIPE') throw error;
  });
});

import('./main.js');
