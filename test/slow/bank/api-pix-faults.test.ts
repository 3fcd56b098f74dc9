import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LocalBank } from '@banking-order/fake-bank';
import { startLocalBank } from '@banking-order/fake-bank';
import { submitOnce } from '#shared/bank/bank.ts';
import { apiPixCharges } from '#shared/bank/dialects/efi/charges.ts';
import type { Connected } from '#shared/bank/connected.ts';
import { efiPayouts } from '#shared/bank/dialects/efi/payouts.ts';
import type { Command } from '#shared/bank/outcome.ts';
import { checkedCharges } from '#shared/bank/ports/charges.ts';
import { checkedPayouts } from '#shared/bank/ports/payouts.ts';
import { centavos } from '#shared/core/money.ts';
import { account, first, payer, repeated } from '#test/bank/bank-orders.ts';
import { connectToLocalBank } from '#test/bank/local-bank-connection.ts';
import { companyId } from '#test/bank/scripted-bank.ts';

/**
 * The adapter and the bank of this machine over mTLS, while calls and answers are lost: no command is carried out
 * twice, none that was carried out is refused, and after quiet each is known.
 */

const folder = mkdtempSync(join(tmpdir(), 'bank-faults-'));
let bank: LocalBank;
let connected: Connected;
/** Of the connection's pauses. */
let nowMs = Date.now();
const now = (): string => new Date(nowMs).toISOString();

const sendControl = async (name: string, body: object): Promise<unknown> =>
  (await fetch(`${bank.controlUrl}/${name}`, { method: 'POST', body: JSON.stringify(body) })).json();

beforeAll(async () => {
  bank = await startLocalBank({ dir: folder });
  connected = await connectToLocalBank(bank, now);
});
afterAll(async () => {
  await bank.close();
  rmSync(folder, { recursive: true });
});

const faults = [
  ...['LOSE_REQUEST', 'LOSE_ANSWER', 'ERROR_BEFORE', 'ERROR_AFTER', 'TOO_MANY', 'FORBID', 'UNAUTHORIZED', 'GARBLE'],
];
const commandsOfAKind = 400;

/** Submits as the workers do, each time after the connection's pause, until the bank says what became of it. */
async function carriedOut<Order, State>(command: Command<Order, State>, order: Order): Promise<number> {
  for (let tries = 1; tries < 12; tries += 1) {
    const options = tries === 1 ? first : repeated;
    const { outcome } = await submitOnce(command, order, { companyId, connection: undefined, at: now() }, options);
    if (outcome === 'DONE') return tries;
    expect(outcome, 'nothing here is a refusal').not.toBe('REFUSED');
    // Longer than any pause, and than what is known of one.
    nowMs += 120_000;
  }
  throw new Error('The bank never said what became of it.');
}

async function carryOutWithFaults<Order, State>(
  command: Command<Order, State>,
  orderOf: (reference: string, at: number) => Order,
): Promise<readonly string[]> {
  const references: string[] = [];
  let repetitions = 0;
  for (let at = 0; at < commandsOfAKind; at += 1) {
    const fault = faults[at % faults.length];
    // Of the command itself, and every third time of the lookup after it, too.
    await sendControl('fault', { fault, method: 'PUT', path: '^/v[23]/', times: 1 + (at % 2) });
    if (at % 3 === 0) await sendControl('fault', { fault, method: 'GET', path: '^/v[23]/', times: 1 });
    const reference = `${at}`.padStart(32, '0');
    references.push(reference);
    // Now and then by two concurrent workers.
    const workers = at % 5 === 0 ? 2 : 1;
    const order = orderOf(reference, at);
    const tries = await Promise.all(Array.from({ length: workers }, () => carriedOut(command, order)));
    repetitions += Math.max(...tries) - 1;
    await sendControl('clear-faults', {});
  }
  expect(repetitions, 'the injected faults hit calls').toBeGreaterThan(commandsOfAKind / 4);
  return references;
}

type State = Readonly<Record<'payouts' | 'cobs', readonly { readonly idEnvio: string; readonly txid: string }[]>>;

test('payouts are made once each, whatever is lost', async () => {
  const { send } = checkedPayouts(efiPayouts(connected));
  const before = (await sendControl('state', {})) as { readonly balance: number };
  const references = await carryOutWithFaults(send, (reference, at) => ({
    ...({ reference, initiation: 'KEY', amount: centavos(100 + at), description: 'x' } as const),
    payer: account,
    receiver: { ...payer, pix: { type: 'EMAIL', key: 'maria@example.com' } as const },
  }));
  const after = (await sendControl('state', {})) as State & { readonly balance: number };
  expect(after.payouts.map(({ idEnvio }) => idEnvio).toSorted()).toEqual(references.toSorted());
  const sum = references.reduce((total, _one, at) => total + 100 + at, 0);
  expect(before.balance - after.balance).toBe(sum);
});

test('charges are opened once each, whatever is lost', async () => {
  const { open } = checkedCharges(apiPixCharges(connected));
  const references = await carryOutWithFaults(open, (reference) => ({
    ...{ reference, amount: centavos(2990), receiver: account, payer, description: 'x' },
    expireDateTime: new Date(nowMs + 3_600_000).toISOString(),
  }));
  const { cobs } = (await sendControl('state', {})) as State;
  expect(cobs.map(({ txid }) => txid).toSorted()).toEqual(references.toSorted());
});
