import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleFunctions } from '#infra/aws/bundle.ts';
import { looksAtIdle, sharesOf } from './computing-shares.ts';
import type { CpuProfile } from './cpu-profile.ts';

const folder = mkdtempSync(join(tmpdir(), 'banking-order-shares-'));
const name = 'workers-deliver-notification';
const bundle = join(folder, name, 'index.mjs');

beforeAll(async () => {
  const only = [{ name, source: 'functions/workers/deliver-notification/handler.ts' }];
  await bundleFunctions({ build: 'production', outdir: folder, only });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

type Place = { readonly name?: string; readonly url?: string; readonly at?: number; readonly under?: number };

/** A profile of places, each of which was found so often, a millisecond each. */
function profileOf(places: readonly (Place & { readonly times: number })[]): CpuProfile {
  const nodes = places.map(({ name: functionName = '', url = '', at = 0 }, place) => ({
    id: place + 1,
    callFrame: { functionName, url, ...placeIn(url, at) },
    children: places.flatMap(({ under }, child) => (under === place ? [child + 1] : [])),
  }));
  const samples = places.flatMap(({ times }, place) => Array.from({ length: times }, () => place + 1));
  return { nodes, samples, timeDeltas: samples.map(() => 1000) };
}

/** Line and column of an offset in the bundle. */
function placeIn(url: string, at: number): { readonly lineNumber: number; readonly columnNumber: number } {
  if (!url.endsWith('.mjs')) return { lineNumber: 0, columnNumber: 0 };
  const before = readFileSync(bundle, 'utf8').slice(0, at).split('\n');
  return { lineNumber: before.length - 1, columnNumber: before.at(-1)?.length ?? 0 };
}

function placeOf(text: string): number {
  const at = readFileSync(bundle, 'utf8').indexOf(text);
  expect(at, text).toBeGreaterThan(0);
  return at;
}

test('a place in a minified bundle belongs to the package or to the file of the service that it came from', () => {
  const url = pathToFileURL(bundle).href;
  const { kinds, packages } = sharesOf(
    [
      profileOf([
        { url, at: placeOf('AWS4-HMAC-SHA256'), times: 5 },
        { url, at: placeOf('invalid_union'), times: 3 },
        { url, at: placeOf('X-Signature-SHA256'), times: 2 },
      ]),
    ],
    0,
  );
  expect(Object.fromEntries(kinds)).toEqual({ 'AWS SDK': 0.5, zod: 0.3, "the service's own code": 0.2 });
  expect([...packages.keys()].toSorted()).toEqual(['@smithy/signature-v4', 'zod']);
});

test('what the engine does itself belongs to its caller, and waiting is no computing', () => {
  const { kinds } = sharesOf(
    [
      profileOf([
        { name: 'request', url: 'node:_http_client', times: 1 },
        { name: 'writev', under: 0, times: 3 },
        { name: 'read', url: 'file:///repository/infra/local/api/gateway.ts', times: 4 },
        { name: 'hash', url: 'node:internal/crypto/hash', times: 1 },
        { name: '(garbage collector)', times: 1 },
        { name: '(idle)', times: 1000 },
      ]),
    ],
    0,
  );
  expect(Object.fromEntries(kinds)).toEqual({
    "Node's HTTP, sockets and streams": 0.4,
    'the local environment': 0.4,
    "Node's cryptography": 0.1,
    'garbage collection': 0.1,
  });
});

test('looks of the profiler at a thread that waits are not what the thread computes', () => {
  const lazy = profileOf([
    { name: '(idle)', times: 990 },
    { name: '(program)', times: 10 },
  ]);
  const busy = profileOf([
    { name: '(idle)', times: 198 },
    { name: '(program)', times: 5 },
    { name: 'read', url: 'node:fs', times: 3 },
  ]);
  const looks = looksAtIdle([busy, lazy]);
  expect(looks).toBeCloseTo(10 / 990);
  expect(sharesOf([busy], looks).kinds.get('outside of JavaScript')).toBeCloseTo(0.5);
});
