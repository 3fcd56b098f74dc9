#!/usr/bin/env node
// The fake bank as a process of its own. Once it runs it prints the path of its connection file, and not the content:
// the output of a process is kept in logs, and secrets must not be.
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
