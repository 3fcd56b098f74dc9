import '../hooks.ts';
import './chance.ts';
import { fileURLToPath } from 'node:url';
import type { LifeOptions } from './life.ts';

/* A process of its own for one life: `node -C simulation one-life.ts '<options as JSON>'` prints its report as JSON. */

const options = JSON.parse(process.argv[2] ?? '{}') as LifeOptions;
const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/u, '');
const { watchLines } = await import('./coverage.ts');
const lines = options.isCovered === true ? await watchLines(root) : undefined;
const { live } = await import('./life.ts');
const { print } = await import('./machine.ts');
const run = await live(options);
await print(JSON.stringify({ ...run, ...(lines && { covered: await lines() }) }));
process.exit(0);
