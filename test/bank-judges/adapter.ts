import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startInBackground } from '#tools/emulators/background.ts';
import { serveCallbacks } from '@banking-order/local-environment';
import { openAuthority, startLocalBank } from '@banking-order/fake-bank';
import { freePort } from '@banking-order/cdk-local';
import { connectToLocalBank } from '#test/bank/local-bank-connection.ts';
import { readCorrectedFile } from '#test/support/api-pix/bcb/corrections.ts';
import type { Exchange } from './relay.ts';
import { openBackRelay, openFrontRelay } from './relay.ts';
import type { Run } from './suite.ts';
import { bankIdOf, newReference, openRun } from './suite.ts';
import { giveCharges, giveDefences, giveRefunds } from './suite-received.ts';
import { giveRecurrences, giveRecurringCharges } from './suite-recurring.ts';
import { giveChecks, givePayouts } from './suite-sent.ts';
import type { Verdict } from './verdict.ts';
import { verdictOf } from './verdict.ts';

/** Of BCB's file; the token's, and Efí's own, are not in it. */
const inFile = /^\/v2\/(?!gn\/)/u;

/** All commands of the adapter, as they went over the wire, and what went wrong with them. */
type Played = { readonly exchanges: readonly Exchange[]; readonly failures: readonly string[] };

/**
 * Gives all commands of the adapter to a bank of its own, through `prism proxy --errors` with BCB's corrected file.
 *
 * @param packages Folder of the judges' packages.
 */
export async function playThroughPrism(packages: string): Promise<Played> {
  await using undo = new AsyncDisposableStack();
  const dir = mkdtempSync(join(tmpdir(), 'bank-judges-'));
  undo.defer(() => {
    rmSync(dir, { recursive: true });
  });
  const bank = await startLocalBank({ dir });
  undo.defer(bank.close);
  const back = await openBackRelay(bank);
  undo.defer(back.close);
  const prism = await startPrism(packages, dir, `${back.url}/v2`);
  undo.defer(prism.stop);
  const front = await openFrontRelay(bank, dir, (path) =>
    inFile.test(path) ? `${prism.url}${path.slice('/v2'.length)}` : undefined,
  );
  undo.defer(front.close);
  const ears = await serveCallbacks(openAuthority(join(dir, 'certificates')), () =>
    Promise.resolve({ ok: true, payload: { statusCode: 200, headers: {}, body: '{}' } }),
  );
  undo.defer(ears.stop);
  const now = (): string => new Date().toISOString();
  const way = { ...bank, apiUrl: front.url, tokenUrl: bank.tokenUrl.replace(bank.apiUrl, front.url) };
  const run = openRun(await connectToLocalBank(way, now), bank);
  const failures: string[] = [];
  const parts = [
    giveCharges,
    giveRefunds,
    giveDefences,
    giveRecurrences,
    giveRecurringCharges,
    givePayouts,
    () => giveChecks(run, `${ears.url}/token`),
  ];
  for (const part of parts) await part(run).catch((error: unknown) => failures.push(String(error)));
  const exchanges = [...front.exchanges];
  return { exchanges, failures: [...failures, ...(await plant(run, front.exchanges))] };
}

async function startPrism(packages: string, dir: string, upstream: string) {
  const file = join(dir, 'api-pix.json');
  writeFileSync(file, JSON.stringify(readCorrectedFile().document));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const program = join(packages, 'node_modules/@stoplight/prism-cli/dist/index.js');
  const { stop } = await startInBackground({
    command: [
      process.execPath,
      program,
      'proxy',
      file,
      upstream,
      '--errors',
      '--port',
      `${port}`,
      '--host',
      '127.0.0.1',
    ],
    log: join(dir, 'prism.log'),
    isReady: async () => (await fetch(`${url}/nothing`)).status > 0,
    readyWithinSeconds: 60,
  });
  return { url, stop };
}

/** Injects a request and a response that violate the file, and checks that Prism reports both. */
async function plant({ connected: { client }, at }: Run, exchanges: readonly Exchange[]): Promise<readonly string[]> {
  const before = prismViolations(exchanges).length;
  const body = { calendario: {}, valor: { original: '1,00' }, chave: 'k' };
  await client.command({ method: 'PUT', path: `/v2/cob/${bankIdOf(newReference())}`, body });
  await at('fault', { fault: 'GARBLE', method: 'GET', path: '^/v2/rec', times: 1 });
  const window = new URLSearchParams({ inicio: '2026-01-01T00:00:00Z', fim: '2026-01-02T00:00:00Z' });
  await client.question({ method: 'GET', path: `/v2/rec?${window.toString()}` });
  const seen = prismViolations(exchanges).length - before;
  return seen === 2 ? [] : [`Prism reports ${seen} of two injected violations.`];
}

/** Responses of Prism for requests and responses that violate the file. */
function prismViolations(exchanges: readonly Exchange[]): readonly string[] {
  return exchanges
    .filter(({ answered }) => answered.includes('stoplight.io/prism/errors'))
    .map(({ method, path, asked, answered }) => `${method} ${path} ${asked}: ${answered}`);
}

/** Of each call that went through Prism, whether it or its answer breaks BCB's file; and the adapter's own failures. */
export function judgeByPrism({ exchanges, failures }: Played): Verdict {
  const looked = exchanges.filter(({ path }) => inFile.test(path)).length;
  return verdictOf(looked, [...failures, ...prismViolations(exchanges)]);
}
