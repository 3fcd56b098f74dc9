#!/usr/bin/env node
// Runs a fake bank as a process. When it is ready it prints the path of its connection file. It does not print the
// content, because logs keep the output of a process and must not keep secrets.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bankNames, banks } from './banks.ts';
import { connectionFile } from './start.ts';

process.env['TZ'] = 'UTC';

const { values } = parseArgs({
  options: {
    bank: { type: 'string' },
    dir: { type: 'string' },
    port: { type: 'string' },
    'control-port': { type: 'string' },
  },
});
const name = bankNames.find((known) => known === (values.bank ?? 'api-pix'));
if (values.dir === undefined || name === undefined)
  throw new Error(`Usage: fake-bank --dir FOLDER [--bank ${bankNames.join('|')}] [--port N] [--control-port N]`);

const bank = await banks[name]({
  dir: values.dir,
  port: Number(values.port ?? 0),
  controlPort: Number(values['control-port'] ?? 0),
});
console.log(join(values.dir, connectionFile));
for (const signal of ['SIGTERM', 'SIGINT'])
  process.once(signal, () => {
    void bank.close().then(() => process.exit(0));
  });
