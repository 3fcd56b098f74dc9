#!/usr/bin/env node
// Runs the fake bank as a process. When it is ready it prints the path of its connection file. It does not print the
// content, because logs keep the output of a process and must not keep secrets.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { connectionFile, startLocalBank } from './start.ts';

process.env['TZ'] = 'UTC';

const { values } = parseArgs({
  options: { dir: { type: 'string' }, port: { type: 'string' }, 'control-port': { type: 'string' } },
});
if (values.dir === undefined) throw new Error('Usage: fake-bank --dir FOLDER [--port N] [--control-port N]');

const bank = await startLocalBank({
  dir: values.dir,
  port: Number(values.port ?? 0),
  controlPort: Number(values['control-port'] ?? 0),
});
console.log(join(values.dir, connectionFile));
for (const signal of ['SIGTERM', 'SIGINT'])
  process.once(signal, () => {
    void bank.close().then(() => process.exit(0));
  });
