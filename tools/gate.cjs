// Runs before every npm script: `node -r ./tools/gate.cjs …`. In ECMAScript 5 and without a dependency, so that old
// versions of Node print what to do instead of a stack trace. test/infra/gate.test.ts checks both.
'use strict';

var fs = require('fs');
var path = require('path');
var project = require('../package.json');

var supportedMajor = 24;
var script = process.env.npm_lifecycle_event;
var known = { start: '"npm start"', test: '"npm test"' };
var again = script === undefined ? 'the same command again' : known[script] || '"npm run ' + script + '"';

function isMissing(name) {
  return !fs.existsSync(path.join(__dirname, '..', 'node_modules', name));
}

function whatIsMissing() {
  if (Number(process.versions.node.split('.')[0]) < supportedMajor)
    return (
      'Node ' +
      process.versions.node +
      ' is too old: the service needs Node ' +
      supportedMajor +
      ' or later. On Linux x64 the packages bring it: run "npm ci", then ' +
      again +
      '. Elsewhere install it: https://nodejs.org.'
    );
  var missing = Object.keys(project.dependencies).concat(Object.keys(project.devDependencies)).filter(isMissing);
  if (missing.length > 0) return 'Packages are missing (' + missing[0] + '): run "npm ci", then ' + again + '.';
}

var fault = whatIsMissing();
if (fault !== undefined) {
  console.error(fault);
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
