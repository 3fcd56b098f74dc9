#!/usr/bin/env node
// Runs a fake bank as a process. When it is ready it prints the path of its connection file. It does not print the
// content, because logs keep the output of a process and must not keep secrets.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { connectionFile, startLocalBank, startQiTech } from './fake-bank.ts';

process.env['TZ'] = 'UTC';

const banks = new Map<string, typeof startLocalBank | typeof startQiTech>([
  ['api-pix', startLocalBank],
  ['qitech', startQiTech],
]);

const { values } = parseArgs({
  options: {
    bank: { type: 'string' },
    dir: { type: 'string' },
    port: { type: 'string' },
    'control-port': { type: 'string' },
  },
});
const start = banks.get(values.bank ?? 'api-pix');
if (values.dir === undefined || start === undefined)
  throw new Error(
    `Usage: fake-bank --dir FOLDER [--bank ${[...banks.keys()].join('|')}] [--port N] [--control-port N]`,
  );

const bank = await start({
  dir: values.dir,
  port: Number(values.port ?? 0),
  controlPort: Number(values['control-port'] ?? 0),
});
console.log(join(values.dir, connectionFile));
for (const signal of ['SIGTERM', 'SIGINT'])
  process.once(signal, () => {
    void bank.close().then(() => process.exit(0));
  });
