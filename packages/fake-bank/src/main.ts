#!/usr/bin/env node
// The bank of this machine as a process of its own. When it runs it prints the file that says what a connection needs:
// what a process prints is kept in logs, and secrets are not.
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
