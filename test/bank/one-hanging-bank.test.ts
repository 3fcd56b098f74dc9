import { afterEach, beforeEach, expect, test } from 'vitest';
import { collectErrors } from '../support/logged.ts';
import type { ScriptedBank } from './scripted-bank.ts';
import { companyId as hangingCompany, scriptedBank } from './scripted-bank.ts';
import { otherCompany, twoBanks } from './two-banks.ts';

const request = { method: 'GET', path: '/v2/cob/1' } as const;

let hanging: ScriptedBank;
let other: ScriptedBank;
beforeEach(async () => {
  collectErrors();
  hanging = await scriptedBank(() => 'HANG');
  other = await scriptedBank(() => ({ status: 200, body: {} }));
});
afterEach(() => {
  hanging.close();
  other.close();
});

test('while the bank of one company hangs, calls to that of another wait for none of its calls', async () => {
  const clientOf = await twoBanks(hanging, other);
  const call = async () => (await clientOf(otherCompany)).command(request);
  await call();
  const over = new AbortController();
  let endedCount = 0;
  const hung = Array.from({ length: 50 }, async () => {
    const verdict = await (await clientOf(hangingCompany)).command({ ...request, signal: over.signal });
    endedCount += 1;
    return verdict;
  });
  while (hanging.asked.length < hung.length) await new Promise((done) => setTimeout(done, 5));
  for (let calls = 0; calls < 100; calls += 1) expect(await call()).toMatchObject({ is: 'OK' });
  expect(endedCount).toBe(0);
  over.abort();
  // Each is one that the bank may have carried out, and the connection alone is paused that hung.
  expect(new Set((await Promise.all(hung)).map(({ is }) => is))).toEqual(new Set(['UNKNOWN']));
  expect((await hanging.connection())?.paused).toMatchObject({ cause: 'no response' });
  expect(await call()).toMatchObject({ is: 'OK' });
  const client = await clientOf(hangingCompany);
  expect(await client.command(request)).toMatchObject({ is: 'NOT_NOW' });
  expect(hanging.asked).toHaveLength(hung.length);
});
