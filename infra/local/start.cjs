// npm start, for whatever Node there is: in ECMAScript 5 and without a dependency, so that the oldest one can say what
// to do instead of showing a stack trace. test/local/start-entry.test.ts holds both.
'use strict';

var supportedMajor = 24;
// Those of infra/local/options.ts.
var engines = ['embedded', 'dynamodb-local'];
var usage = [
  'Usage: npm start [-- --engine NAME | --help]',
  '',
  'Runs the whole service on this machine until Ctrl-C: API, token issuer, database, queue, workers, and a receiver',
  'for notifications. The first line on the terminal that begins with "ready" says where.',
  '',
  'Options:',
  '  --engine NAME              what keeps the tables: embedded, which comes with the packages on Linux x64 (preset), or',
  '                             dynamodb-local, which is fetched from Maven Central once and needs Java 17',
  '',
  'Variables:',
  '  PORT                       port of the API, 0 for any free one (3000)',
  '  LOCAL_DIR                  folder of the data, kept between runs (.local)',
  '  RETRY_DELAYS_SECONDS       waits before attempts 2 to 5 of a notification (1,2,4,8)',
  '  PROBE_DELAYS_SECONDS       waits before the probes of an endpoint that fails (1,2,4,8)',
  '  AWS_ENDPOINT_URL_DYNAMODB  a DynamoDB that runs already, with streams, instead of an engine',
  '',
  'Exit codes: 0 it was stopped; 1 it could not start, or broke; 2 wrong usage.',
].join('\n');

var tooOld =
  'Node ' +
  process.versions.node +
  ' is too old: the service needs Node ' +
  supportedMajor +
  ' or later. On Linux x64 ' +
  'the packages bring it: run "npm ci", then "npm start". Elsewhere install it: https://nodejs.org.';

function start(words) {
  if (words.indexOf('--help') !== -1 || words.indexOf('-h') !== -1) {
    console.log(usage);
    return 0;
  }
  if (words.length > 0 && !(words.length === 2 && words[0] === '--engine' && engines.indexOf(words[1]) !== -1)) {
    console.error('npm start takes no ' + words.join(' ') + '.\n\n' + usage);
    return 2;
  }
  if (Number(process.versions.node.split('.')[0]) < supportedMajor) {
    console.error(tooOld);
    return 1;
  }
  try {
    require('./main.ts');
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND' && error.code !== 'MODULE_NOT_FOUND') throw error;
    console.error('Packages are missing: run "npm ci", then "npm start". (' + error.message.split('\n')[0] + ')');
    return 1;
  }
}

var code = start(process.argv.slice(2));
if (code !== undefined) process.exitCode = code;
