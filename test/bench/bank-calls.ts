import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as z from 'zod';
import { companyId, scriptedBank } from '../bank/scripted-bank.ts';
import type { ScriptedBank } from '../bank/scripted-bank.ts';
import { otherCompany, twoBanks } from '../bank/two-banks.ts';
import type { Table } from './page.ts';
import { median, rounded } from './page.ts';

const asked = { method: 'GET', path: '/v2/cob/1' } as const;
const response = { status: 200, body: { txid: '1', status: 'ATIVA' } } as const;

/** Milliseconds of each call, one after the other. */
async function timed(times: number, call: () => Promise<unknown>): Promise<readonly number[]> {
  const took: number[] = [];
  for (let round = 0; round < times; round += 1) {
    const began = performance.now();
    await call();
    took.push(performance.now() - began);
  }
  return took;
}

/** Milliseconds of the calls of a process that has just begun. */
async function ofNewProcess(by: 'bare' | 'adapter', { apiUrl, secret }: ScriptedBank): Promise<readonly number[]> {
  const file = new URL('bank-call-process.ts', import.meta.url).pathname;
  const environment = { ...process.env, BANK_URL: apiUrl, BANK_SECRET: JSON.stringify(secret) };
  const { stdout } = await promisify(execFile)(process.execPath, [file, by], { env: environment });
  return z.array(z.number()).parse(JSON.parse(stdout));
}

function p99(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * 0.99)] ?? Number.NaN;
}

/**
 * Calls to a bank on loopback: the first of a new process, with TLS, certificate and token, and the next, beside a bare
 * request over an open connection of a process that is as new; and those of a company while the bank of another one
 * hangs.
 */
export async function measureBankCalls({ rounds, calls }: { readonly rounds: number; readonly calls: number }) {
  const bank = await scriptedBank(() => response);
  const hanging = await scriptedBank(() => 'HANG');
  try {
    const runs = { bare: [] as number[], handshake: [] as number[], first: [] as number[], next: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      const [handshake = Number.NaN, ...bare] = await ofNewProcess('bare', bank);
      const [first = Number.NaN, ...next] = await ofNewProcess('adapter', bank);
      runs.handshake.push(handshake);
      runs.bare.push(median(bare));
      runs.first.push(first);
      runs.next.push(median(next));
    }
    const [floor, handshake] = [median(runs.bare), median(runs.handshake)];
    const [first, next] = [median(runs.first), median(runs.next)];
    const clientOf = await twoBanks(hanging, bank);
    const ofOther = async () => (await clientOf(otherCompany)).command(asked);
    await timed(calls, ofOther);
    const normal = p99(await timed(calls, ofOther));
    const over = new AbortController();
    const hung = Array.from({ length: 50 }, async () =>
      (await clientOf(companyId)).command({ ...asked, signal: over.signal }),
    );
    while (hanging.asked.length < hung.length) await new Promise((done) => setTimeout(done, 10));
    const beside = p99(await timed(calls, ofOther));
    over.abort();
    await Promise.all(hung);
    const table: Table = [
      ['Call to a bank on loopback', 'ms', 'Floor, ms', 'Ratio'],
      [
        'First call of a process, with TLS, certificate and token',
        rounded(first),
        rounded(floor),
        rounded(first / floor),
      ],
      ['The same, compared with a bare first request', rounded(first), rounded(handshake), rounded(first / handshake)],
      ['Next call', rounded(next), rounded(floor), rounded(next / floor)],
      [
        'p99 of one company while the bank of another hangs',
        rounded(beside),
        rounded(normal),
        rounded(beside / normal),
      ],
    ];
    return table;
  } finally {
    bank.close();
    hanging.close();
  }
}
