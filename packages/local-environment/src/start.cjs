// npm start, on any version of Node: the gate prints what to do when Node is too old, and the arguments are read before
// any other module is loaded. In ECMAScript 5: packages/local-environment/test/start-entry.test.ts.
'use strict';

require('../../../tools/gate.cjs');

// Reading the modules is most of a start: Node keeps the compiled modules where it can write them.
var nodeModule = require('module');
if (nodeModule.enableCompileCache) nodeModule.enableCompileCache(require('path').resolve('node_modules/.cache/node'));

// Those of packages/cdk-local and packages/fake-bank.
var engines = ['embedded', 'dynamodb-local'];
var banks = ['api-pix', 'qitech'];
var usage = [
  'Usage: npm start [-- [--engine NAME] [--bank NAME] [--fresh] | --help]',
  '',
  'Runs the whole service on this machine until Ctrl-C: API, token issuer, database, queue, workers, and a receiver',
  'for notifications. The line that begins with "ready" prints the address of the API.',
  '',
  'Options:',
  '  --engine NAME              database of the tables: embedded (default), which comes with the packages on Linux x64, or',
  '                             dynamodb-local, which is downloaded from Maven Central once and needs Java 17',
  '  --bank NAME                also starts a fake bank: api-pix with API Pix over mTLS, or qitech with QI Tech’s signed',
  '                             calls; LOCAL_DIR/bank/connection.json has its addresses and credentials',
  '  --fresh                    first deletes the data of earlier starts in LOCAL_DIR, and nothing else there',
  '',
  'Variables:',
  '  PORT                       port of the API, 0 for any free one (3000)',
  '  LOCAL_DIR                  folder of the data, kept between runs (.local)',
  '  RETRY_DELAYS_SECONDS       waits before attempts 2 to 5 of a notification (1,2,4,8)',
  '  PROBE_DELAYS_SECONDS       waits before the probes of an endpoint that fails (1,2,4,8)',
  "  NAME_SERVERS               name servers for the hosts of partners instead of the system's, for tests",
  '  SCHEDULE_SECONDS           seconds between two runs of every job, for tests; unset, the jobs run as on AWS',
  '  AWS_ENDPOINT_URL_DYNAMODB  a running DynamoDB with streams, instead of an engine',
  '',
  'Exit codes: 0 stopped by a signal; 1 the start or the run failed; 2 wrong usage.',
].join('\n');

function start(words) {
  if (words.indexOf('--help') !== -1 || words.indexOf('-h') !== -1) {
    console.log(usage);
    return 0;
  }
  var at = words.indexOf('--engine');
  var engine = at === -1 ? [] : words.slice(at, at + 2);
  var bankAt = words.indexOf('--bank');
  var bank = bankAt === -1 ? [] : words.slice(bankAt, bankAt + 2);
  var isBank = bank.length === 0 || banks.indexOf(bank[1]) !== -1;
  var rest = words.filter(function (word) {
    return engine.indexOf(word) === -1 && bank.indexOf(word) === -1;
  });
  var isEngine = engine.length === 0 || engines.indexOf(engine[1]) !== -1;
  if (!isEngine || !isBank || rest.length > 1 || (rest.length === 1 && rest[0] !== '--fresh')) {
    console.error('npm start does not accept ' + words.join(' ') + '.\n\n' + usage);
    return 2;
  }
  console.log('Starting database, queue and functions; changed functions are built first …');
  require('./main.ts');
}

var code = start(process.argv.slice(2));
if (code !== undefined) process.exitCode = code;
